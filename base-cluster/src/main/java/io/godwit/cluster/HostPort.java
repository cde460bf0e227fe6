package io.godwit.cluster;

/**
 * A network address as configurations and members name it; not resolved.
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

    @Override
    public String toString() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
