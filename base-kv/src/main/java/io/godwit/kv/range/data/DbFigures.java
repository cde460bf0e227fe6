package io.godwit.kv.range.data;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * RocksDB's statistics of the database of a range.
 *
 * @param memtableBytes bytes in memory that are not flushed yet
 * @param tableBytes bytes of table files
 * @param pendingCompactionBytes estimate of the bytes that compactions still have to rewrite
 * @param isHeldBack whether writes are slowed down or stopped now because compactions cannot keep up
 * @param stalls how often that has begun since the database was opened
 */
public record DbFigures(
        long memtableBytes, long tableBytes, long pendingCompactionBytes, boolean isHeldBack, long stalls) {
    /** For a database that is closed, being closed or being replaced. */
    static final DbFigures NONE = new DbFigures(0, 0, 0, false, 0);

    /** @param db must be open and stay open during the call */
    public static DbFigures of(RocksDB db) throws RocksDBException {
        boolean isHeldBack = db.getLongProperty("rocksdb.actual-delayed-write-rate") > 0
                || db.getLongProperty("rocksdb.is-write-stopped") > 0;
        Map<String, String> stalls = db.getMapProperty("rocksdb.cf-write-stall-stats");
        return new DbFigures(
                db.getLongProperty("rocksdb.size-all-mem-tables"),
                db.getLongProperty("rocksdb.live-sst-files-size"),
                db.getLongProperty("rocksdb.estimate-pending-compaction-bytes"),
                isHeldBack,
                number(stalls.get("total-delays")) + number(stalls.get("total-stops")));
    }

    private static long number(@Nullable String text) {
        return text == null ? 0 : Long.parseLong(text);
    }
}
