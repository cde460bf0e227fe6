package io.godwit.api.http.gate;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Where a request comes from. */
public final class Callers {
    private static final Pattern IPV4_LOOPBACK = Pattern.compile("127\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}");
    private static final List<String> OF_PROXIES =
            List.of("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via");

    private Callers() {}

    /** The source of the request: all requests with the same one count as one caller. */
    public static String source(HttpServerRequest request) {
        return Sources.of(socket(request));
    }

    /** The address of the peer, for logs. */
    public static String address(HttpServerRequest request) {
        return socket(request).getAddress().getHostAddress();
    }

    public static InetSocketAddress socket(HttpServerRequest request) {
        return socket(request.remoteAddress());
    }

    public static InetSocketAddress local(HttpServerRequest request) {
        return socket(request.localAddress());
    }

    static InetSocketAddress socket(io.vertx.core.net.SocketAddress address) {
        try {
            // a literal: no lookup
            return new InetSocketAddress(InetAddress.getByName(address.hostAddress()), Math.max(0, address.port()));
        } catch (java.net.UnknownHostException e) {
            throw new IllegalStateException("no address: " + address, e);
        }
    }

    /** Whether the connection is from this machine and no proxy header shows that it forwards another's request. */
    public static boolean isThisMachine(HttpServerRequest request) {
        return socket(request).getAddress().isLoopbackAddress()
                && OF_PROXIES.stream().noneMatch(name -> request.headers().contains(name));
    }

    /** Whether the Host header is a loopback name. A page of another site sends its own host name instead. */
    public static boolean isForLoopbackName(HttpServerRequest request) {
        HostAndPort authority = request.authority();
        return authority != null && isLoopbackName(authority.host());
    }

    static boolean isLoopbackName(@Nullable String host) {
        if (host == null) {
            return false;
        }
        String name = host.toLowerCase(Locale.ROOT);
        return name.equals("localhost")
                || name.equals("[::1]")
                || name.equals("::1")
                || IPV4_LOOPBACK.matcher(name).matches();
    }

    /**
     * Whether a browser says that a page of this API sends the request. Needed for requests with cookies: other
     * services on the same host may have set these, but pages cannot forge the headers read here.
     */
    public static boolean isOfOwnPage(HttpServerRequest request) {
        return !isOfAnotherSite(request)
                && ("same-origin".equals(request.getHeader("Sec-Fetch-Site")) || request.getHeader("Origin") != null);
    }

    /** Whether a browser sends this for a page of another origin. Clients that are not browsers send neither header. */
    public static boolean isOfAnotherSite(HttpServerRequest request) {
        String fetched = request.getHeader("Sec-Fetch-Site");
        if (fetched != null && !fetched.equals("same-origin") && !fetched.equals("none")) {
            return true;
        }
        String origin = request.getHeader("Origin");
        return origin != null && !origin.equalsIgnoreCase(request.scheme() + "://" + request.getHeader("Host"));
    }
}
