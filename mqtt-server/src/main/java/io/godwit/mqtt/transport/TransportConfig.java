package io.godwit.mqtt.transport;

import java.time.Duration;

/**
 * How sockets are served.
 *
 * @param eventLoops threads that serve connections; 0 means one per core
 * @param prefersIoUring whether to use io_uring where it loads; epoll otherwise, or NIO
 * @param maxPacketBytes the largest packet a client may send, 2 to 268,435,460
 * @param maxConnBandwidth bytes per second that a connection may send and, apart from that, receive; 0 is no limit
 * @param maxUnwrittenBytes output that waits for the client's socket at which it counts as slow; it is no longer slow at half of it; at least 1
 * @param connectTimeout from the connection's begin to its CONNECT, at least a second
 * @param drainTimeout for what is under way at close
 */
public record TransportConfig(
        int eventLoops,
        boolean prefersIoUring,
        int maxPacketBytes,
        long maxConnBandwidth,
        int maxUnwrittenBytes,
        Duration connectTimeout,
        Duration drainTimeout) {

    /** Every setting at its default. */
    public static final TransportConfig DEFAULTS = new TransportConfig(
            0, false, 2 * 1024 * 1024, 512 * 1024, 1024 * 1024, Duration.ofSeconds(20), Duration.ofSeconds(10));

    public TransportConfig {
        check("eventLoops", eventLoops, 0, 1024);
        check("maxPacketBytes", maxPacketBytes, 2, 268_435_460);
        check("maxConnBandwidth", maxConnBandwidth, 0, Long.MAX_VALUE);
        check("maxUnwrittenBytes", maxUnwrittenBytes, 1, Integer.MAX_VALUE);
        check("connectTimeout", connectTimeout.toSeconds(), 1, Integer.MAX_VALUE);
        check("drainTimeout", drainTimeout.toSeconds(), 0, Integer.MAX_VALUE);
    }

    private static void check(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " must be " + least + " to " + most + ", was " + value);
        }
    }
}
