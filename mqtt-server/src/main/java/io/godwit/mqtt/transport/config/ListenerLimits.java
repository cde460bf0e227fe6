package io.godwit.mqtt.transport.config;

import java.time.Duration;

/**
 * Limits of one listener's connections. Where 0 is allowed it means no limit.
 *
 * @param maxPacketBytes the largest packet a client may send, 2 to 268,435,460
 * @param maxConnBandwidth bytes per second that a connection may send and, separately, receive; sent bytes are
 *     counted on the wire, received ones before TLS
 * @param maxPublishRate messages per second that a connection may publish
 * @param connectTimeout from the start of the connection to its CONNECT, TLS and HTTP included; at least a second
 * @param maxConnections open at once
 * @param maxConnectionsPerSource open at once from one source, which is an IPv4 address or the first 64 bits of an
 *     IPv6 address
 * @param connectRate new connections per second
 * @param connectRatePerSource new connections per second from one source
 */
public record ListenerLimits(
        int maxPacketBytes,
        long maxConnBandwidth,
        int maxPublishRate,
        Duration connectTimeout,
        int maxConnections,
        int maxConnectionsPerSource,
        int connectRate,
        int connectRatePerSource) {

    /** Every limit at its default. */
    public static final ListenerLimits DEFAULTS =
            new ListenerLimits(2 * 1024 * 1024, 512 * 1024, 0, Duration.ofSeconds(20), 0, 0, 0, 0);

    public ListenerLimits {
        check("maxPacketBytes", maxPacketBytes, 2, 268_435_460);
        check("maxConnBandwidth", maxConnBandwidth, 0, Long.MAX_VALUE);
        check("maxPublishRate", maxPublishRate, 0, Integer.MAX_VALUE);
        check("connectTimeout", connectTimeout.toSeconds(), 1, Integer.MAX_VALUE);
        check("maxConnections", maxConnections, 0, Integer.MAX_VALUE);
        check("maxConnectionsPerSource", maxConnectionsPerSource, 0, Integer.MAX_VALUE);
        check("connectRate", connectRate, 0, Integer.MAX_VALUE);
        check("connectRatePerSource", connectRatePerSource, 0, Integer.MAX_VALUE);
    }

    static void check(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " must be " + least + " to " + most + ", was " + value);
        }
    }
}
