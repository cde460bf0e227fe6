package io.godwit.perf.load.client;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The address of a broker.
 *
 * @param webSocket null: MQTT directly over TCP or TLS
 */
public record Endpoint(String host, int port, @Nullable WebSocketPart webSocket) {
    private static final Pattern WEB_SOCKET = Pattern.compile("(wss?)://([^/]*)(/.*)?");
    private static final String PATH = "/mqtt";
    private static final int WS_PORT = 80;
    private static final int WSS_PORT = 443;

    /** The parts of an address {@code ws://host:port/path} or {@code wss://host:port/path} other than host and port. */
    public record WebSocketPart(boolean isTls, String path) {
        private String scheme() {
            return isTls ? "wss://" : "ws://";
        }
    }

    public Endpoint {
        if (host.isEmpty() || port < 1 || port > 65_535) {
            throw new IllegalArgumentException("not an address of a broker: " + host + ":" + port);
        }
    }

    public Endpoint(String host, int port) {
        this(host, port, null);
    }

    /**
     * Parses one or more addresses.
     *
     * @param text host:port or {@code ws://host:port/path}, or several of these separated by commas; an IPv6 address is
     * in square brackets
     * @param defaultPort the port for addresses that are not of a WebSocket
     */
    public static List<Endpoint> parseAll(String text, int defaultPort) {
        return Arrays.stream(text.split(",", -1))
                .map(one -> parse(one.strip(), defaultPort))
                .toList();
    }

    private static Endpoint parse(String text, int defaultPort) {
        Matcher address = WEB_SOCKET.matcher(text);
        if (!address.matches()) {
            return parse(text, defaultPort, null);
        }
        boolean isTls = address.group(1).equals("wss");
        String path = address.group(3) == null ? PATH : address.group(3);
        return parse(address.group(2), isTls ? WSS_PORT : WS_PORT, new WebSocketPart(isTls, path));
    }

    private static Endpoint parse(String text, int defaultPort, @Nullable WebSocketPart webSocket) {
        int colon = text.lastIndexOf(':');
        boolean hasPort = colon > text.lastIndexOf(']') && (text.indexOf(':') == colon || text.startsWith("["));
        String host = hasPort ? text.substring(0, colon) : text;
        String port = hasPort ? text.substring(colon + 1) : String.valueOf(defaultPort);
        if (!port.matches("\\d{1,5}") || host.contains("/")) {
            throw new IllegalArgumentException("not host:port, ws://host:port/path or wss://host:port/path: " + text);
        }
        return new Endpoint(host.replaceAll("^\\[|\\]$", ""), Integer.parseInt(port), webSocket);
    }

    public boolean isWss() {
        return webSocket != null && webSocket.isTls();
    }

    /** Whether TLS is possible: false for {@code ws://} only, as host and port leave it open. */
    public boolean mayHaveTls() {
        return webSocket == null || webSocket.isTls();
    }

    @Override
    public String toString() {
        String address = (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
        return webSocket == null ? address : webSocket.scheme() + address + webSocket.path();
    }
}
