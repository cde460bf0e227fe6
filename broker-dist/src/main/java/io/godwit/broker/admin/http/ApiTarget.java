package io.godwit.broker.admin.http;

import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The API to call.
 *
 * @param url the part before {@code /api/v1}, without a slash at its end
 * @param token empty for none
 * @param name for messages
 */
public record ApiTarget(URI url, String token, SSLContext tls, String name) {
    private static final int MOST_TOKEN_BYTES = 4_096;

    /** The API of the broker that runs on a data directory of this machine. */
    public static ApiTarget local(Path data, String token) throws AdminException {
        LocalApi api = LocalApi.read(data);
        try {
            SSLContext tls = api.certificate().isPresent()
                    ? ApiTls.pinned(api.certificate().get())
                    : ApiTls.none();
            return new ApiTarget(api.url(), token, tls, "the broker of " + data + " (" + api.url() + ")");
        } catch (IOException e) {
            throw new AdminException(Kind.FAILED, String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * The API at an address that the operator has given.
     *
     * @param authorities certificates in PEM; null for those of the JVM
     * @param certificate the client's certificate, with {@code key}; null for none
     */
    public static ApiTarget at(
            String url, String token, @Nullable Path authorities, @Nullable Path certificate, @Nullable Path key)
            throws AdminException {
        URI parsed = parse(url);
        boolean hasTls = parsed.getScheme().equals("https");
        if (!hasTls && (authorities != null || certificate != null || key != null)) {
            throw new AdminException(Kind.USAGE, "--ca, --cert and --key are for an https:// URL");
        }
        if ((certificate == null) != (key == null)) {
            throw new AdminException(Kind.USAGE, "--cert and --key go together");
        }
        try {
            SSLContext tls = hasTls ? ApiTls.vouched(authorities, certificate, key) : ApiTls.none();
            return new ApiTarget(parsed, token, tls, parsed.toString());
        } catch (IOException e) {
            throw new AdminException(Kind.USAGE, String.valueOf(e.getMessage()), e);
        }
    }

    private static URI parse(String url) throws AdminException {
        try {
            URI uri = new URI(url);
            String scheme = String.valueOf(uri.getScheme());
            boolean isHttp = scheme.equalsIgnoreCase("http") || scheme.equalsIgnoreCase("https");
            if (!isHttp
                    || uri.getHost() == null
                    || uri.getPort() == 0
                    || uri.getPort() > 65_535
                    || uri.getRawUserInfo() != null
                    || uri.getRawQuery() != null
                    || uri.getRawFragment() != null) {
                throw wrong(url);
            }
            String path = String.valueOf(uri.getRawPath()).replaceAll("/+$", "");
            return URI.create(scheme.toLowerCase(Locale.ROOT) + "://" + uri.getRawAuthority() + path);
        } catch (URISyntaxException e) {
            throw wrong(url);
        }
    }

    private static AdminException wrong(String url) {
        return new AdminException(
                Kind.USAGE,
                "--url must be http://HOST:PORT or https://HOST:PORT, without a user, but is "
                        + (url.indexOf('@') >= 0 ? "another" : url));
    }

    /**
     * The token in a file, which has only one line.
     *
     * @throws AdminException naming the file, never its content
     */
    public static String tokenOf(Path file) throws AdminException {
        try {
            if (Files.isRegularFile(file) && Files.size(file) > MOST_TOKEN_BYTES) {
                throw new AdminException(Kind.USAGE, file + " is too large to be that of a token");
            }
            return checked(Files.readString(file, StandardCharsets.ISO_8859_1), "the file " + file);
        } catch (IOException e) {
            throw new AdminException(Kind.USAGE, "the token cannot be read: " + e, e);
        }
    }

    /** The token without surrounding blanks. Checked, since it becomes part of a header. */
    public static String checked(String text, String source) throws AdminException {
        String token = text.strip();
        if (!token.matches("[!-~]{1," + MOST_TOKEN_BYTES + "}")) {
            throw new AdminException(Kind.USAGE, source + " must have one token and nothing else");
        }
        return token;
    }

    /** Whether a token would be sent in the clear to another machine. Resolves the host. */
    public boolean showsToken() {
        if (token.isEmpty() || url.getScheme().equals("https")) {
            return false;
        }
        try {
            return !InetAddress.getByName(url.getHost()).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false; // the request will fail anyway
        }
    }

    @Override
    public String toString() {
        return name; // without the token, which must not appear in logs
    }
}
