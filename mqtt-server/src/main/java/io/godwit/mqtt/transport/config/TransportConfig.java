package io.godwit.mqtt.transport.config;

import static io.godwit.mqtt.transport.config.ListenerLimits.check;

import io.godwit.mqtt.codec.DecodeLimits;
import java.time.Duration;

/**
 * Settings of sockets, for all listeners.
 *
 * @param eventLoops event loops that serve connections, each with a thread; 0 means one per core
 * @param packLoops whether one thread may run several of them under light load (epoll only)
 * @param io the kind of channel
 * @param maxUnwrittenBytes unwritten output at which a client counts as slow, until it is down to half; at least 1
 * @param maxHalfReceivedBytes budget for large packets that are incomplete or being stored, over all connections,
 *     at least 64 KiB; 0 for no limit
 * @param decodeLimits limits for decoded packets
 * @param drainTimeout for requests under way at close
 */
public record TransportConfig(
        int eventLoops,
        boolean packLoops,
        Io io,
        int maxUnwrittenBytes,
        long maxHalfReceivedBytes,
        DecodeLimits decodeLimits,
        Duration drainTimeout) {

    /** Every setting at its default. */
    public static final TransportConfig DEFAULTS = new TransportConfig(
            0, true, Io.SOCKETS, 1024 * 1024, 64 << 20, DecodeLimits.DEFAULTS, Duration.ofSeconds(10));

    public TransportConfig {
        check("eventLoops", eventLoops, 0, 1024);
        check("maxUnwrittenBytes", maxUnwrittenBytes, 1, Integer.MAX_VALUE);
        if (maxHalfReceivedBytes != 0) {
            check("maxHalfReceivedBytes", maxHalfReceivedBytes, 65_536, Long.MAX_VALUE);
        }
        check("drainTimeout", drainTimeout.toSeconds(), 0, Integer.MAX_VALUE);
    }

    /** The kind of channel. */
    public enum Io {
        /** Sockets, by epoll where it loads, else NIO. */
        SOCKETS,
        /** Sockets, by io_uring where it loads, else as {@link #SOCKETS}. */
        IO_URING,
        /**
         * Channels within this process, for measurements with more connections than a process may open files: a client
         * connects to {@code Listener.inMemoryAddress}. The rest of the server is the same.
         */
        IN_MEMORY
    }
}
