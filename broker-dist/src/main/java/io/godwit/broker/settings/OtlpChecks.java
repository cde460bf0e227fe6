package io.godwit.broker.settings;

import io.godwit.broker.config.key.Check;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Checks of texts in {@code otlpConfig}. */
final class OtlpChecks {
    private static final int MAX_URL_CHARS = 2_000;
    private static final int MAX_VALUE_CHARS = 4_000;
    private static final int MAX_NAME_CHARS = 200;

    private OtlpChecks() {}

    /** The address of the collector. Secrets belong in headers, since the address is logged. */
    static final class Url implements Check {
        @Override
        public String checked(String text) {
            try {
                URI url = new URI(text);
                String scheme = String.valueOf(url.getScheme()).toLowerCase(Locale.ROOT);
                boolean isPlain =
                        url.getRawUserInfo() == null && url.getRawQuery() == null && url.getFragment() == null;
                if ((scheme.equals("http") || scheme.equals("https"))
                        && url.getHost() != null
                        && url.getPort() != 0
                        && url.getPort() <= 65_535
                        && !url.getRawPath().isEmpty()
                        && text.length() <= MAX_URL_CHARS
                        && isPlain) {
                    return text;
                }
            } catch (URISyntaxException e) {
                throw new IllegalArgumentException(expected(), e);
            }
            throw new IllegalArgumentException(expected());
        }

        private static String expected() {
            return "must be http:// or https:// with a host and the whole path (/v1/metrics of most collectors), "
                    + "without a user, ? and #";
        }
    }

    /** An HTTP header that the HTTP client does not set itself. */
    static final class Header implements Check {
        private static final Pattern NAME = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]{1," + MAX_NAME_CHARS + "}");
        private static final Pattern VALUE = Pattern.compile("[\\x20-\\x7E]{1," + MAX_VALUE_CHARS + "}");
        private static final Set<String> OWN = Set.of(
                "connection",
                "content-encoding",
                "content-length",
                "content-type",
                "expect",
                "host",
                "te",
                "trailer",
                "transfer-encoding",
                "upgrade");

        @Override
        public String checked(String text) {
            String name = name(text);
            if (!NAME.matcher(name).matches() || !VALUE.matcher(value(text)).matches()) {
                throw new IllegalArgumentException("must be name=value, with the name of a header of HTTP, and a value "
                        + "of printable ASCII up to " + MAX_VALUE_CHARS + " characters");
            }
            if (OWN.contains(name.toLowerCase(Locale.ROOT))) {
                throw new IllegalArgumentException("must not set " + name + ", which the push sets itself");
            }
            return name + "=" + value(text);
        }
    }

    /** A key and a value. */
    static final class Attribute implements Check {
        @Override
        public String checked(String text) {
            String name = name(text);
            String value = value(text);
            if (name.isEmpty()
                    || value.isEmpty()
                    || name.length() > MAX_NAME_CHARS
                    || value.length() > MAX_VALUE_CHARS) {
                throw new IllegalArgumentException("must be name=value, with up to " + MAX_NAME_CHARS
                        + " characters of the name and " + MAX_VALUE_CHARS + " of the value");
            }
            return name + "=" + value;
        }
    }

    private static String name(String text) {
        return text.substring(0, Math.max(0, text.indexOf('='))).strip();
    }

    private static String value(String text) {
        return text.substring(text.indexOf('=') + 1).strip();
    }
}
