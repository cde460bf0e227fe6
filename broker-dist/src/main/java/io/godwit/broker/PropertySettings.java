package io.godwit.broker;

import java.util.List;

/** Every JVM system property for tuning ({@code -Dname=value} in {@code JVM_OPTS}). */
final class PropertySettings {
    /** A property that begins with one of these and is not in {@link #ALL} is an error. */
    static final List<String> PREFIXES = List.of("inbox_store_", "dist_worker_", "retain_store_", "kv_");

    private static final int VOTERS_MAX = 7;
    /** More than any disk or network. */
    private static final long BYTES_PER_SECOND_MAX = 1L << 40;

    static final Setting<Integer> INBOX_VOTERS = Setting.integer("inbox_store_replica_voter_count", 1, 1, VOTERS_MAX);
    static final Setting<Integer> DIST_VOTERS = Setting.integer("dist_worker_replica_voter_count", 3, 1, VOTERS_MAX);
    static final Setting<Integer> RETAIN_VOTERS = Setting.integer("retain_store_replica_voter_count", 3, 1, VOTERS_MAX);
    static final Setting<Integer> INBOX_RANGES = Setting.integer(
            "inbox_store_initial_ranges", Math.min(Runtime.getRuntime().availableProcessors(), 4), 1, 64);
    static final Setting<Boolean> INBOX_EARLY_PUSH = Setting.flag("inbox_store_early_push", true);
    static final Setting<Long> INBOX_IO_NANOS_LIMIT =
            Setting.number("inbox_store_io_nanos_limit", 30_000, 1, Long.MAX_VALUE);
    static final Setting<Long> INBOX_MAX_IO_DENSITY =
            Setting.number("inbox_store_max_io_density", 100, 1, Long.MAX_VALUE);
    static final Setting<Long> DIST_IO_NANOS_LIMIT =
            Setting.number("dist_worker_io_nanos_limit", 30_000, 1, Long.MAX_VALUE);
    static final Setting<Long> DIST_MAX_IO_DENSITY =
            Setting.number("dist_worker_max_io_density", 100, 1, Long.MAX_VALUE);
    static final Setting<Long> RETAIN_IO_NANOS_LIMIT =
            Setting.number("retain_store_io_nanos_limit", 30_000, 1, Long.MAX_VALUE);
    static final Setting<Long> RETAIN_MAX_IO_DENSITY =
            Setting.number("retain_store_max_io_density", 100, 1, Long.MAX_VALUE);
    static final Setting<Long> SNAPSHOT_LOG_BYTES =
            Setting.number("kv_snapshot_log_bytes", 64L * 1024 * 1024, 64 * 1024, Long.MAX_VALUE);
    static final Setting<Long> SNAPSHOT_BYTES_PER_SECOND = Setting.number(
            "kv_snapshot_bytes_per_second",
            64L * 1024 * 1024,
            1024 * 1024, // with less, several copies at a time would have each other's requests time out
            BYTES_PER_SECOND_MAX);
    static final Setting<Long> RECLAIM_BYTES_PER_SECOND =
            Setting.number("kv_reclaim_bytes_per_second", 32L * 1024 * 1024, 256 * 1024, BYTES_PER_SECOND_MAX);
    static final Setting<Long> DISK_LOW_WATER_BYTES = Setting.number("kv_disk_low_water_bytes", -1, -1, Long.MAX_VALUE);
    static final Setting<Boolean> LOG_SYNC = Setting.flag("kv_log_sync", true);
    static final Setting<Boolean> META_SYNC = Setting.flag("kv_meta_sync", true);

    static final List<Setting<?>> ALL = List.of(
            INBOX_VOTERS,
            DIST_VOTERS,
            RETAIN_VOTERS,
            INBOX_RANGES,
            INBOX_EARLY_PUSH,
            INBOX_IO_NANOS_LIMIT,
            INBOX_MAX_IO_DENSITY,
            DIST_IO_NANOS_LIMIT,
            DIST_MAX_IO_DENSITY,
            RETAIN_IO_NANOS_LIMIT,
            RETAIN_MAX_IO_DENSITY,
            SNAPSHOT_LOG_BYTES,
            SNAPSHOT_BYTES_PER_SECOND,
            RECLAIM_BYTES_PER_SECOND,
            DISK_LOW_WATER_BYTES,
            LOG_SYNC,
            META_SYNC);

    private PropertySettings() {}
}
