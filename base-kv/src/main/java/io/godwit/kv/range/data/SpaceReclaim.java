package io.godwit.kv.range.data;

import io.godwit.kv.coprocessor.RangeBounds;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.CompactRangeOptions;
import org.rocksdb.RateLimiter;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * Frees the space of keys outside a range's bounds, at a limited rate. Owns the limiter of the database's background
 * writes, and the compaction that runs.
 *
 * <p>{@link #run} blocks an I/O thread. Meanwhile a thread that needs the database exclusively calls {@link #end}. So a
 * lock guards what both use.
 */
final class SpaceReclaim implements AutoCloseable {
    /**
     * More than any disk can do. The bytes allowed for one period may still be used when a limit begins, so the period
     * is short.
     */
    private static final long UNLIMITED_BYTES_PER_SECOND = 2L << 30;

    private static final long LIMITED_PERIOD_MICROS = 2_000;

    /** Limits flushes and compactions, but only while space is reclaimed. */
    private final RateLimiter backgroundWrites = new RateLimiter(UNLIMITED_BYTES_PER_SECOND, LIMITED_PERIOD_MICROS);
    /**
     * Guards {@link #underWay}: a thread that closes the database cancels a running compaction, and must not use
     * options that are closed already.
     */
    private final Object lock = new Object();

    private @Nullable CompactRangeOptions underWay;
    /** Guarded by {@link #lock}. */
    private boolean isWantedAlone;

    /** For the options of the database. */
    RateLimiter backgroundWrites() {
        return backgroundWrites;
    }

    /**
     * Rewrites the files at the border, so that it disturbs nothing else; {@link #end} ends it. The caller keeps
     * {@code db} open meanwhile.
     */
    void run(RocksDB db, RangeBounds bounds, long bytesPerSecond) throws RocksDBException {
        try (CompactRangeOptions how =
                new CompactRangeOptions().setExclusiveManualCompaction(false).setMaxSubcompactions(1)) {
            synchronized (lock) {
                if (isWantedAlone) {
                    return;
                }
                underWay = how;
                backgroundWrites.setBytesPerSecond(bytesPerSecond);
            }
            try {
                reclaimOutside(db, bounds, how);
            } finally {
                backgroundWrites.setBytesPerSecond(UNLIMITED_BYTES_PER_SECOND);
                synchronized (lock) {
                    underWay = null;
                }
            }
        }
    }

    private static void reclaimOutside(RocksDB db, RangeBounds bounds, CompactRangeOptions how)
            throws RocksDBException {
        byte @Nullable [] end = bounds.end();
        byte[] first = {BatchBytes.USER_PREFIX};
        if (bounds.start().length > 0) {
            reclaim(db, first, DbKeys.stored(bounds.start()), how);
        }
        if (end != null) {
            reclaim(db, DbKeys.stored(end), DbKeys.storedEnd(null), how);
        }
    }

    private static void reclaim(RocksDB db, byte[] start, byte[] end, CompactRangeOptions how) throws RocksDBException {
        db.deleteFilesInRanges(db.getDefaultColumnFamily(), List.of(start, end), false);
        db.compactRange(db.getDefaultColumnFamily(), start, end, how);
    }

    /** Cancels a running {@link #run}, and refuses others until {@link #allow}: the caller needs the database alone. */
    void end() {
        synchronized (lock) {
            isWantedAlone = true;
            CompactRangeOptions running = underWay;
            if (running != null) {
                running.setCanceled(true);
                backgroundWrites.setBytesPerSecond(UNLIMITED_BYTES_PER_SECOND); // lets the running write end soon
            }
        }
    }

    void allow() {
        synchronized (lock) {
            isWantedAlone = false;
        }
    }

    /** Call it when the database is closed. */
    @Override
    public void close() {
        backgroundWrites.close();
    }
}
