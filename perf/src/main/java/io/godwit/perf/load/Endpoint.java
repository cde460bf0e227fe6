package io.godwit.perf.load;

import java.util.Arrays;
import java.util.List;

/** Where a broker listens. */
public record Endpoint(String host, int port) {
    public Endpoint {
        if (host.isEmpty() || port < 1 || port > 65_535) {
            throw new IllegalArgumentException("not an address of a broker: " + host + ":" + port);
        }
    }

    /** @param text host:port, or several of them with commas between; an IPv6 address stands in square brackets */
    public static List<Endpoint> parseAll(String text, int defaultPort) {
        return Arrays.stream(text.split(",", -1))
                .map(one -> parse(one.strip(), defaultPort))
                .toList();
    }

    private static Endpoint parse(String text, int defaultPort) {
        int colon = text.lastIndexOf(':');
        boolean hasPort = colon > text.lastIndexOf(']') && (text.indexOf(':') == colon || text.startsWith("["));
        String host = hasPort ? text.substring(0, colon) : text;
        String port = hasPort ? text.substring(colon + 1) : String.valueOf(defaultPort);
        if (!port.matches("\\d{1,5}")) {
            throw new IllegalArgumentException("not host:port: " + text);
        }
        return new Endpoint(host.replaceAll("^\\[|\\]$", ""), Integer.parseInt(port));
    }

    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
