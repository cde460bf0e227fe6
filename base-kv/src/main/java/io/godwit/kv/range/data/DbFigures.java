package io.godwit.kv.range.data;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * What RocksDB tells of the database of a range.
 *
 * @param memtableBytes in memory, not flushed yet
 * @param tableBytes of table files
 * @param pendingCompactionBytes that compactions have to rewrite, about
 * @param isHeldBack whether writes are slowed down or stopped now, since compactions do not keep up
 * @param stalls how often that began, since the database was opened
 */
public record DbFigures(
        long memtableBytes, long tableBytes, long pendingCompactionBytes, boolean isHeldBack, long stalls) {
    /** Of one that is closed, or is being closed or replaced. */
    static final DbFigures NONE = new DbFigures(0, 0, 0, false, 0);

    /** @param db open, and kept open meanwhile */
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
