package io.godwit.kv.raft.log;

import io.godwit.kv.disk.RocksFiles;
import java.util.Properties;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.Statistics;
import org.rocksdb.StatsLevel;
import org.rocksdb.TickerType;
import org.rocksdb.WALRecoveryMode;

/**
 * The options with which the RocksDB of the shared log is opened, also when it is opened again, and its statistics.
 * Owns their native memory: close it after the database. Any thread.
 */
final class LogOptions implements AutoCloseable {
    /**
     * An entry is written to a table file only if it is still needed when its memtable is full. Eight table files are
     * merged at a time, when most of their entries have been truncated.
     */
    private static final long MEMTABLE_BYTES = 32L << 20;

    private static final int TABLES_BEFORE_MERGE = 8;
    private static final long BLOCK_CACHE_BYTES = 4L << 20;

    private final Statistics statistics = new Statistics();
    private final LRUCache blockCache = new LRUCache(BLOCK_CACHE_BYTES);
    private final DBOptions database;
    private final ColumnFamilyOptions columns;

    LogOptions() {
        statistics.setStatsLevel(StatsLevel.EXCEPT_DETAILED_TIMERS);
        database = databaseOptions().setStatistics(statistics);
        columns = columnOptions(blockCache);
    }

    DBOptions database() {
        return database;
    }

    ColumnFamilyOptions columns() {
        return columns;
    }

    /** The count of a ticker since the first time that the database was opened. */
    long count(TickerType ticker) {
        return statistics.getTickerCount(ticker);
    }

    private static DBOptions databaseOptions() {
        // the manifest lists closed WALs, so that a missing or shortened one is detected
        Properties properties = new Properties();
        properties.setProperty("track_and_verify_wals_in_manifest", "true");
        return RocksFiles.options(properties)
                .setCreateIfMissing(true)
                .setParanoidChecks(true)
                .setWalRecoveryMode(WALRecoveryMode.TolerateCorruptedTailRecords)
                .setRecycleLogFileNum(0) // old records in a recycled file would look like a tail
                .setEnablePipelinedWrite(false) // measured: pipelined writers share fewer fsyncs and need more CPU
                .setMaxBackgroundJobs(2)
                .setBytesPerSync(1 << 20)
                .setStatsDumpPeriodSec(0)
                .setStatsPersistPeriodSec(0)
                .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
                .setKeepLogFileNum(4);
    }

    private static ColumnFamilyOptions columnOptions(LRUCache blockCache) {
        return new ColumnFamilyOptions()
                .setWriteBufferSize(MEMTABLE_BYTES)
                .setMaxWriteBufferNumber(3)
                .setLevel0FileNumCompactionTrigger(TABLES_BEFORE_MERGE)
                .setTargetFileSizeBase(MEMTABLE_BYTES)
                .setMaxBytesForLevelBase(MEMTABLE_BYTES * TABLES_BEFORE_MERGE)
                .setCompressionType(CompressionType.NO_COMPRESSION)
                .setTableFormatConfig(new BlockBasedTableConfig()
                        .setFormatVersion(5)
                        .setBlockSize(32 << 10)
                        .setBlockCache(blockCache));
    }

    @Override
    public void close() {
        columns.close();
        blockCache.close();
        database.close();
        statistics.close();
    }
}
