package io.godwit.broker.settings.tenant;

import io.godwit.broker.config.key.Check;
import io.godwit.plugin.client.TenantId;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Checks of texts about tenants. */
public final class TenantChecks {
    private TenantChecks() {}

    /** The name of a tenant. */
    public static final class Name implements Check {
        @Override
        public String checked(String text) {
            return TenantId.parse(text)
                    .map(TenantId::value)
                    .orElseThrow(
                            () -> new IllegalArgumentException("must have 1 to 64 letters, digits, '-', '_' and '.'"));
        }
    }

    /** The part of a host name after the tenant. */
    static final class Domain implements Check {
        private static final Pattern VALID = Pattern.compile("[a-z0-9-]+(\\.[a-z0-9-]+)*");

        @Override
        public String checked(String text) {
            String lower = text.toLowerCase(Locale.ROOT);
            if (!VALID.matcher(lower).matches()) {
                throw new IllegalArgumentException("must be the name of a domain, such as mqtt.example.org");
            }
            return lower;
        }
    }

    /** A regular expression with one group. */
    static final class OneGroup implements Check {
        @Override
        public String checked(String text) {
            try {
                if (Pattern.compile(text).matcher("").groupCount() == 1) {
                    return text;
                }
            } catch (PatternSyntaxException e) {
                throw new IllegalArgumentException("must be a regular expression: " + e.getDescription(), e);
            }
            throw new IllegalArgumentException("must have one group, which is the tenant");
        }
    }
}
