package io.godwit.broker.settings;

import io.godwit.broker.config.key.ConfigKey;
import io.godwit.broker.config.key.Unit;
import io.godwit.dist.client.SharedPick;
import java.util.Map;

/** {@code sessionConfig}. */
public record SessionSection(
        @ConfigKey(
                value = "1000",
                min = 1,
                max = 1_000_000,
                text = "QoS 1 and 2 messages that one session holds for its client.")
        int maxQueuedMessages,

        @ConfigKey(value = "64MB", min = 1, unit = Unit.BYTES, reload = true, text = """
                    Bytes of memory that these may take in a session without an expiry, whose queue is in memory,
                    with topic and properties. What is over this limit is dropped as with the one above
                    (overflowPolicy), counted and reported. All these sessions of the node together have an eighth
                    of the heap, and one of them has at most as much of it as is left free: with a heap of 512 MB,
                    32 MB when it is alone, less when others are behind as well. Before that, from half of either
                    limit on, the publishers of a session without an expiry get their acknowledgements late: for two
                    seconds at most, and five seconds in a minute for all such sessions of the node together.
                    """)
        long maxQueuedBytes,

        @ConfigKey(value = "4MB", min = 1, unit = Unit.BYTES, text = """
                    Bytes of memory that QoS 0 messages may take which wait, behind others, for the connected client
                    of a session with an expiry. One larger message waits alone. What is over this limit, or over 64
                    MiB for all sessions of a range of the inbox store together, is dropped, the oldest first,
                    counted and reported. What is kept when the client goes is not in memory, and bounded by
                    maxQueuedMessages.
                    """)
        long maxQueuedQos0Bytes,

        @ConfigKey(value = "10000", min = 1, reload = true, text = """
                    Subscriptions that one session has; more are refused (0x97; under MQTT 3.1.1 0x80).
                    """)
        int maxFilters,

        @ConfigKey(value = "100", min = 1, reload = true, text = """
                    Patterns that the filters of one session have; more are refused in the same way. A pattern is a
                    filter without its names, and with its share group: a/+/c and x/+/z have the same one. A topic
                    matches at most one filter of each pattern, so this bounds the work of a publish. Filters
                    without wildcard and group have none; a pattern of more than 16 levels counts as one for each 16
                    levels.
                    """)
        int maxFilterPatterns,

        @ConfigKey(value = "0", min = 0, max = 86_400, unit = Unit.SECONDS, reload = true, text = """
                    How long a client may read more slowly than it is sent to before it is disconnected (0x97); 0 =
                    for ever. Meanwhile QoS 0 is discarded when its socket is full, and QoS 1 and 2 wait in the
                    session's bound.
                    """)
        int slowConsumerTimeoutSeconds,

        @ConfigKey(value = "drop-newest", text = """
                    What a full session does: drop-newest or drop-oldest. Both are counted and reported; neither
                    fails the publisher.
                    """) OverflowPolicy overflowPolicy,
        @ConfigKey(value = "true", text = """
                    Whether QoS 0 messages are kept for a client that is not connected (in the same bound, oldest
                    dropped first).
                    """) boolean queueQos0,

        @ConfigKey(value = "4294967295", min = 1, max = 0xFFFF_FFFFL, unit = Unit.SECONDS, text = """
                    The longest Session Expiry Interval, in seconds; 4294967295 = for ever. Sessions of MQTT 3.1.1
                    have this one.
                    """)
        long maxExpirySeconds,

        @ConfigKey(value = "random", text = """
                    How a message for a shared subscription ($share/group/filter, $queue/filter) finds its member
                    among those that are connected; only without any it goes to the queue of one that is not:
                      random          any
                      round-robin     each in turn
                      sticky          one gets all until it leaves, goes offline or is full
                      hash-by-client  messages of one publisher go to one member
                      hash-by-topic   messages of one topic go to one member
                      local-first     sessions without an expiry first, which cost no disk write, then the others
                    A listener may have another one, for the messages that come through it, whichever listeners the
                    members of the group are connected to. This one is for all others: wills, delayed messages,
                    those that a member gives back, and what is distributed only after a restart.
                    $oshare/group/filter is ordered whatever is said here: messages of one publisher and topic stay
                    with one member.
                    """) SharedPick sharedSubscriptionStrategy,
        @ConfigKey(text = """
                    The same for all messages of single groups, by their share name, $queue naming the one without:
                    billing=sticky,$queue=round-robin
                    """) Map<String, SharedPick> sharedGroupStrategies) {}
