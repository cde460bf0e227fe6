package io.godwit.mqtt.transport.config;

import java.net.URI;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The origins of web pages that may open a WebSocket here. A browser names the page's origin in the header
 * {@code Origin} (RFC 6454). Other clients send none, or that of the host they connect to, and are let in: no page can
 * make them connect behind the user's back. Immutable.
 *
 * @param isAny whether every origin is allowed
 * @param listed the allowed origins in lower case; if empty, only the host that the request is for
 */
public record AllowedOrigins(boolean isAny, List<String> listed) {
    public static final AllowedOrigins ANY = new AllowedOrigins(true, List.of());

    /**
     * Only the host that the request is for, with any port. A host name is trusted only over TLS, where the browser has
     * checked it against the certificate, and never on this machine's loopback interface: the owner of a name can let
     * it point to any machine after loading his page (DNS rebinding). IP addresses and loopback names cannot be
     * redirected like that.
     */
    public static final AllowedOrigins SAME_HOST = new AllowedOrigins(false, List.of());

    private static final String NO_ORIGIN = "null";

    public AllowedOrigins {
        listed = List.copyOf(listed);
    }

    /**
     * An origin as browsers send it: {@code https://host}, {@code https://host:port}, or {@code null} for files and
     * pages without an origin. Fails with an {@link IllegalArgumentException} that gives the expected form.
     */
    public static String origin(String text) {
        String origin = text.toLowerCase(Locale.ROOT);
        if (!origin.equals(NO_ORIGIN) && !isOrigin(origin)) {
            throw new IllegalArgumentException("must be scheme://host or scheme://host:port, but has \"" + text + "\"");
        }
        return origin;
    }

    private static boolean isOrigin(String text) {
        URI uri = parse(text);
        return uri != null && text.equals(uri.getScheme() + "://" + uri.getAuthority()) && uri.getHost() != null;
    }

    /**
     * @param origins of the request; one or none
     * @param host the header {@code Host}
     * @param isNameProven whether the browser has checked the host name against a certificate, and the connection
     *     is not over loopback
     */
    public boolean allow(List<String> origins, @Nullable String host, boolean isNameProven) {
        return isAny || origins.stream().allMatch(each -> allows(each.toLowerCase(Locale.ROOT), host, isNameProven));
    }

    private boolean allows(String origin, @Nullable String host, boolean isNameProven) {
        if (!listed.isEmpty()) {
            return listed.contains(origin);
        }
        String page = hostOf(origin);
        String here = host == null ? null : hostOf("http://" + host.toLowerCase(Locale.ROOT));
        if (page == null || here == null) {
            return false;
        }
        if (isLoopbackName(page) && isLoopbackName(here)) {
            return true;
        }
        return page.equals(here) && (isNameProven || isAddress(here));
    }

    private static @Nullable String hostOf(String origin) {
        URI uri = parse(origin);
        return uri == null ? null : uri.getHost();
    }

    private static @Nullable URI parse(String text) {
        try {
            return URI.create(text);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static boolean isAddress(String host) {
        return host.startsWith("[") || host.chars().allMatch(c -> c == '.' || c >= '0' && c <= '9');
    }

    private static boolean isLoopbackName(String host) {
        return host.equals("localhost")
                || host.endsWith(".localhost")
                || host.equals("[::1]")
                || host.startsWith("127.") && isAddress(host);
    }
}
