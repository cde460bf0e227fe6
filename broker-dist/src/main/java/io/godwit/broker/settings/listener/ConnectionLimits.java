package io.godwit.broker.settings.listener;

import io.godwit.broker.config.key.ConfigKey;
import io.godwit.broker.config.key.Unit;

/** Limits of connections: of all listeners, or of a listener that sets its own. */
public record ConnectionLimits(
        @ConfigKey(
                value = "512KB",
                min = 0,
                max = Integer.MAX_VALUE,
                unit = Unit.BYTES_PER_SECOND,
                reload = true,
                text = """
                    Bytes per second that one connection may send and, separately, receive; 0 = no limit. A
                    connection over it is read more slowly, and nothing is discarded; or it is written to more
                    slowly: QoS 0 is dropped and counted meanwhile, QoS 1 and 2 wait in the session's queue, up to
                    its limit.
                    """)
        long maxConnBandwidth,

        @ConfigKey(value = "0", min = 0, reload = true, text = """
                    Messages per second that one connection may publish; 0 = no limit. One over it is read more
                    slowly; nothing is discarded.
                    """)
        int maxPublishRate,

        @ConfigKey(value = "2MB", min = 256, max = 268_435_455, unit = Unit.BYTES, text = """
                    The largest MQTT packet accepted, in bytes; 268435455 is the most the protocol knows.
                    """)
        int maxPacketBytes,

        @ConfigKey(
                value = "20",
                min = 1,
                max = 3_600,
                unit = Unit.SECONDS,
                reload = true,
                text = "A connection that has not sent its CONNECT after this time is closed.")
        int connectTimeoutSeconds,

        @ConfigKey(value = "0", min = 0, reload = true, text = """
                    Connections that each listener has open at once, in all and from one source; 0 = no limit. A
                    source is an IPv4 address, or the first 64 bits of an IPv6 address. What is over a limit is
                    refused (0x97 to MQTT 5.0), or closed at once where it is much. Whatever is set here, all
                    listeners together accept no more connections than the limit of open files (ulimit -n) allows:
                    4096 of the files that are left at start, or half of them where fewer than 8192 are left, are
                    kept for the stores. A connection beyond that takes the place of the oldest that has not logged
                    in, or is closed.
                    """)
        int maxConnections,

        @ConfigKey(value = "0", min = 0, reload = true) int maxConnectionsPerSource,

        @ConfigKey(value = "0", min = 0, reload = true, text = """
                    New connections per second of each listener, in all and from one source; 0 = no limit. The same,
                    with 0x9F.
                    """)
        int connectRate,

        @ConfigKey(value = "0", min = 0, reload = true) int connectRatePerSource) {}
