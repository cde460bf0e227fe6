package io.godwit.kv.range.data;

import io.godwit.kv.disk.RocksFiles;
import java.util.Properties;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.Env;
import org.rocksdb.IndexType;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.WriteBufferManager;

/**
 * What all range databases of a node share: threads, block cache, and a bound on memtables, which is charged to the
 * cache.
 */
public final class RocksResources implements AutoCloseable {
    static {
        RocksDB.loadLibrary();
    }

    /**
     * The rate where none is set. Less than disks can take, so that what is urgent is not held up, and more than one
     * range is written to as a rule: what clients write to it meanwhile is flushed at the same rate.
     */
    public static final long RECLAIM_BYTES_PER_SECOND = 32L << 20;

    /** Parts of filters and indexes. */
    private static final int METADATA_BLOCK_BYTES = 8 << 10;

    /** Of one range. */
    static final int MAX_OPEN_FILES = 64;

    private final LRUCache cache;
    private final WriteBufferManager writeBuffers;
    private final BloomFilter bloom = new BloomFilter(10);
    private final long reclaimBytesPerSecond;
    private final long cacheBytes;
    /** Guarded by this: what reads the cache's figures must not meet one that is gone. */
    private boolean isClosed;

    /**
     * @param cacheBytes blocks, filters and memtables of all ranges together
     * @param writeBufferBytes the memtables' part; above it RocksDB flushes the largest
     */
    public RocksResources(long cacheBytes, long writeBufferBytes) {
        this(cacheBytes, writeBufferBytes, RECLAIM_BYTES_PER_SECOND);
    }

    /** @param reclaimBytesPerSecond how fast a database is rewritten to give space back */
    public RocksResources(long cacheBytes, long writeBufferBytes, long reclaimBytesPerSecond) {
        this.reclaimBytesPerSecond = reclaimBytesPerSecond;
        this.cacheBytes = cacheBytes;
        this.cache = new LRUCache(cacheBytes);
        this.writeBuffers = new WriteBufferManager(writeBufferBytes, cache);
        Env.getDefault().setBackgroundThreads(2, org.rocksdb.Priority.LOW);
        Env.getDefault().setBackgroundThreads(1, org.rocksdb.Priority.HIGH);
    }

    /** Options of one range database; the caller closes them. */
    @SuppressWarnings("resource") // the filter and the cache are closed with this object
    public Options options(boolean create) {
        return common().setEnv(Env.getDefault())
                .setCreateIfMissing(create)
                .setErrorIfExists(create)
                .setParanoidChecks(true)
                .setWriteBufferManager(writeBuffers)
                .setWriteBufferSize(16 << 20)
                .setArenaBlockSize(64 << 10)
                .setMaxWriteBufferNumber(3)
                .setMaxOpenFiles(MAX_OPEN_FILES)
                .setStatsDumpPeriodSec(0)
                .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
                .setKeepLogFileNum(2)
                .setMaxBackgroundJobs(2)
                .setLevelCompactionDynamicLevelBytes(true)
                .setCompressionType(CompressionType.LZ4_COMPRESSION)
                // one thread writes a range's database
                .setAllowConcurrentMemtableWrite(false)
                .setEnableWriteThreadAdaptiveYield(false)
                .setTableFormatConfig(new BlockBasedTableConfig()
                        .setBlockCache(cache)
                        .setBlockSize(16 << 10)
                        .setFilterPolicy(bloom)
                        // in parts: as one block the filter of a million small keys fits into no shard of the
                        // cache, and all of it is read for each key
                        .setIndexType(IndexType.kTwoLevelIndexSearch)
                        .setPartitionFilters(true)
                        .setMetadataBlockSize(METADATA_BLOCK_BYTES)
                        .setPinTopLevelIndexAndFilter(true)
                        .setCacheIndexAndFilterBlocks(true)
                        .setPinL0FilterAndIndexBlocksInCache(true));
    }

    /** Of the cache that all ranges share. */
    public record CacheFigures(long usedBytes, long pinnedBytes, long capacityBytes) {}

    /** Zeros when it is closed. Any thread. */
    public synchronized CacheFigures cacheFigures() {
        return isClosed
                ? new CacheFigures(0, 0, 0)
                : new CacheFigures(cache.getUsage(), cache.getPinnedUsage(), cacheBytes);
    }

    public long reclaimBytesPerSecond() {
        return reclaimBytesPerSecond;
    }

    private static Options common() {
        try (DBOptions database = RocksFiles.options(new Properties());
                ColumnFamilyOptions columns = new ColumnFamilyOptions()) {
            return new Options(database, columns);
        }
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        writeBuffers.close();
        cache.close();
        bloom.close();
    }
}
