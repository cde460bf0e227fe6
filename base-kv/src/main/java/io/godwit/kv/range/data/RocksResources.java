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
 * Resources shared by all range databases of a node: threads, block cache, and a bound on memtables, which counts in
 * the cache.
 */
public final class RocksResources implements AutoCloseable {
    static {
        RocksDB.loadLibrary();
    }

    /**
     * The default rate. Lower than what disks can do, so that urgent writes are not delayed; higher than the usual
     * write rate of one range, because its flushes share this limit meanwhile.
     */
    public static final long RECLAIM_BYTES_PER_SECOND = 32L << 20;

    /** Size of the partitions of filters and indexes. */
    private static final int METADATA_BLOCK_BYTES = 8 << 10;

    /** For one range. */
    static final int MAX_OPEN_FILES = 64;

    private final LRUCache cache;
    private final WriteBufferManager writeBuffers;
    private final BloomFilter bloom = new BloomFilter(10);
    private final long reclaimBytesPerSecond;
    private final long cacheBytes;
    /** Guarded by this: the cache must not be closed while its figures are read. */
    private boolean isClosed;

    /**
     * @param cacheBytes blocks, filters and memtables of all ranges together
     * @param writeBufferBytes the part of the memtables; above it RocksDB flushes the largest
     */
    public RocksResources(long cacheBytes, long writeBufferBytes) {
        this(cacheBytes, writeBufferBytes, RECLAIM_BYTES_PER_SECOND);
    }

    /** @param reclaimBytesPerSecond bound on the rate at which a database is rewritten to free space */
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
                // only one thread writes to a range's database
                .setAllowConcurrentMemtableWrite(false)
                .setEnableWriteThreadAdaptiveYield(false)
                .setTableFormatConfig(new BlockBasedTableConfig()
                        .setBlockCache(cache)
                        .setBlockSize(16 << 10)
                        .setFilterPolicy(bloom)
                        // partitioned: the filter of a million small keys as one block fits into no shard of the cache,
                        // and would be read whole for each key
                        .setIndexType(IndexType.kTwoLevelIndexSearch)
                        .setPartitionFilters(true)
                        .setMetadataBlockSize(METADATA_BLOCK_BYTES)
                        .setPinTopLevelIndexAndFilter(true)
                        .setCacheIndexAndFilterBlocks(true)
                        .setPinL0FilterAndIndexBlocksInCache(true));
    }

    /** The use of the cache that all ranges share. */
    public record CacheFigures(long usedBytes, long pinnedBytes, long capacityBytes) {}

    /** All zero after the close. Any thread. */
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
