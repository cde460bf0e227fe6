package io.godwit.broker.settings;

import io.godwit.broker.config.key.ConfigKey;
import io.godwit.broker.config.key.Unit;
import java.util.Set;

/** The system properties of the JVM that tune the stores ({@code -Dname=value} in {@code JVM_OPTS}). */
public record SystemProperties(
        @ConfigKey(
                name = "inbox_store_replica_voter_count",
                value = "3",
                min = 1,
                max = SystemProperties.VOTERS_MAX,
                text = """
                    Voters of a range of the inbox store; fewer while fewer nodes exist, 1 on a node alone. A cluster
                    notes the number when it is founded; later the property may raise it, and fewer are for
                    `godwit-admin replicas`.
                    """)
        int inboxVoters,

        @ConfigKey(
                name = "dist_worker_replica_voter_count",
                value = "3",
                min = 1,
                max = SystemProperties.VOTERS_MAX,
                text = "The same of the store of routes.")
        int distVoters,

        @ConfigKey(
                name = "retain_store_replica_voter_count",
                value = "3",
                min = 1,
                max = SystemProperties.VOTERS_MAX,
                text = "The same of the store of retained messages.")
        int retainVoters,

        @ConfigKey(name = "inbox_store_initial_ranges", value = "0", min = 0, max = 64, text = """
                    Ranges that the inbox store is made with, at the first start on empty data; 0 = one per core, four
                    at most.
                    """)
        int inboxInitialRanges,

        @ConfigKey(
                name = "inbox_store_early_push",
                value = "true",
                text = "Whether QoS 1 is sent to a connected session while its write is under way.")
        boolean inboxEarlyPush,

        @ConfigKey(name = "inbox_store_io_nanos_limit", value = "30000", min = 1, text = """
                    Mean nanoseconds of a database operation of the inbox store above which load splits no range.
                    """)
        long inboxIoNanosLimit,

        @ConfigKey(
                name = "inbox_store_max_io_density",
                value = "100",
                min = 1,
                text = "Database operations per millisecond above which a range of the inbox store is split.")
        long inboxMaxIoDensity,

        @ConfigKey(
                name = "dist_worker_io_nanos_limit",
                value = "30000",
                min = 1,
                text = "As inbox_store_io_nanos_limit, of the store of routes.")
        long distIoNanosLimit,

        @ConfigKey(
                name = "dist_worker_max_io_density",
                value = "100",
                min = 1,
                text = "As inbox_store_max_io_density, of the store of routes.")
        long distMaxIoDensity,

        @ConfigKey(
                name = "retain_store_io_nanos_limit",
                value = "30000",
                min = 1,
                text = "As inbox_store_io_nanos_limit, of the store of retained messages.")
        long retainIoNanosLimit,

        @ConfigKey(
                name = "retain_store_max_io_density",
                value = "100",
                min = 1,
                text = "As inbox_store_max_io_density, of the store of retained messages.")
        long retainMaxIoDensity,

        @ConfigKey(
                name = "kv_snapshot_log_bytes",
                value = "64MB",
                min = 64 * 1024,
                unit = Unit.BYTES,
                text = "Bytes of the log of a range after which the range takes a snapshot.")
        long snapshotLogBytes,
        // with a lower rate, parallel copies would let each other's requests time out
        @ConfigKey(
                name = "kv_snapshot_bytes_per_second",
                value = "64MB",
                min = 1024 * 1024,
                max = SystemProperties.BYTES_PER_SECOND_MAX,
                unit = Unit.BYTES_PER_SECOND,
                text = "How fast this node sends snapshots to others, all together.")
        long snapshotBytesPerSecond,

        @ConfigKey(
                name = "kv_reclaim_bytes_per_second",
                value = "32MB",
                min = 256 * 1024,
                max = SystemProperties.BYTES_PER_SECOND_MAX,
                unit = Unit.BYTES_PER_SECOND,
                text = """
                    How fast the database of a range is rewritten to give space back after a split. What clients write
                    to it meanwhile is flushed at the same rate.
                    """)
        long reclaimBytesPerSecond,

        @ConfigKey(name = "kv_disk_low_water_bytes", value = "-1", min = -1, unit = Unit.BYTES, text = """
                    Free bytes below which publishes that must be stored, messages for later, new sessions and wills of
                    more than 1024 bytes are refused, and below half of which nothing is written any more; -1 = 5 % of
                    the disk, 256 MiB to 1 GiB.
                    """)
        long diskLowWaterBytes,

        @ConfigKey(
                name = "kv_log_sync",
                value = "true",
                text = "false: what was acknowledged may be lost when power fails; for experiments only.")
        boolean logSync,

        @ConfigKey(name = "kv_meta_sync", value = "true", text = """
                    false: a vote of a replica may be lost when power fails, and the replica votes again in the same
                    election; for experiments only.
                    """)
        boolean metaSync) {
    /** A property with one of these prefixes that is not listed here is a mistake. */
    public static final Set<String> PREFIXES = Set.of("inbox_store_", "dist_worker_", "retain_store_", "kv_");

    static final int VOTERS_MAX = 7;
    /** More than any disk or network can do. */
    static final long BYTES_PER_SECOND_MAX = 1L << 40;

    private static final int INITIAL_RANGES_MAX = 4;

    /** The number of ranges that the inbox store is created with. */
    public int initialRanges() {
        return inboxInitialRanges > 0
                ? inboxInitialRanges
                : Math.min(Runtime.getRuntime().availableProcessors(), INITIAL_RANGES_MAX);
    }
}
