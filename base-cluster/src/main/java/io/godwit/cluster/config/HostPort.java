package io.godwit.cluster.config;

/**
 * An unresolved network address, as configurations and members name it.
 *
 * @param host a name or an address; an IPv6 address without brackets
 * @param port 1 to 65,535
 */
public record HostPort(String host, int port) {

    public HostPort {
        if (host.isEmpty()) {
            throw new IllegalArgumentException("host is empty");
        }
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("port must be 1 to 65535, was " + port);
        }
    }

    /**
     * Parses {@code host:port}; an IPv6 address must be in brackets.
     *
     * @throws IllegalArgumentException if the text has another form
     */
    public static HostPort parse(String text) {
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? "" : text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        } else if (host.indexOf(':') >= 0) {
            throw new IllegalArgumentException("must be host:port, an IPv6 address in brackets, was \"" + text + "\"");
        }
        try {
            return new HostPort(host, Integer.parseInt(text.substring(colon + 1)));
        } catch (IllegalArgumentException e) { // includes NumberFormatException
            throw new IllegalArgumentException("must be host:port, was \"" + text + "\"", e);
        }
    }

    @Override
    public String toString() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
