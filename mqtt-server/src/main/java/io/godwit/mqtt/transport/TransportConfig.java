package io.godwit.mqtt.transport;

import static io.godwit.mqtt.transport.ListenerLimits.check;

import io.godwit.mqtt.codec.DecodeLimits;
import java.time.Duration;

/**
 * How sockets are served, whatever listener they come from.
 *
 * @param eventLoops event loops that serve connections, each with a thread; 0 means one per core
 * @param packLoops whether one thread may run several of them while there is little to do (epoll only)
 * @param io what carries the bytes
 * @param maxUnwrittenBytes output that waits for the client's socket at which it counts as slow; it is no longer slow
 *     at half of it; at least 1
 * @param maxHalfReceivedBytes room for large packets that have arrived in part or are being stored, over all
 *     connections, at least 64 KiB; 0 for no limit
 * @param decodeLimits what packets may be decoded into
 * @param drainTimeout for what is under way at close
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

    /** What connections are made of. */
    public enum Io {
        /** Sockets, by epoll where it loads, else NIO. */
        SOCKETS,
        /** Sockets, by io_uring where it loads, else as {@link #SOCKETS}. */
        IO_URING,
        /**
         * Channels within this process, for measurements of more connections than a process may open files for: a
         * client connects to {@link Listener#inMemoryAddress}. All else of the server is the same.
         */
        IN_MEMORY
    }
}
