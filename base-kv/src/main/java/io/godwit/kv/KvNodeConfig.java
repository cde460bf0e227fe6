package io.godwit.kv;

import io.godwit.kv.member.ClusterSettings;
import io.godwit.kv.raft.log.LogSync;
import io.godwit.kv.range.data.RocksResources;
import io.godwit.kv.range.replica.RangeSettings;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What a node is opened with.
 *
 * @param dataDirectory holds all it keeps
 * @param bootstrap whether stores may be made when there is no data; false then refuses
 * @param cacheBytes RocksDB's block cache for all ranges, memtables included
 * @param writeBufferBytes the memtables' part of it
 * @param lowWaterBytes free disk below which mutations that add data are refused, and below half of which all are;
 *     empty: 5 % of the disk, at most 1 GiB, at least 256 MiB
 * @param reclaimBytesPerSecond how fast the database of a range is rewritten, at most, to give back the space of what a
 *     split has taken from it
 * @param cluster null for a node that is alone
 */
public record KvNodeConfig(
        Path dataDirectory,
        boolean bootstrap,
        long cacheBytes,
        long writeBufferBytes,
        RangeSettings range,
        OptionalLong lowWaterBytes,
        LogSync sync,
        long reclaimBytesPerSecond,
        @Nullable ClusterSettings cluster) {

    public KvNodeConfig {
        if (cacheBytes <= 0 || writeBufferBytes <= 0 || writeBufferBytes > cacheBytes) {
            throw new IllegalArgumentException("cacheBytes=" + cacheBytes + " writeBufferBytes=" + writeBufferBytes);
        }
        if (reclaimBytesPerSecond <= 0) {
            throw new IllegalArgumentException("reclaimBytesPerSecond=" + reclaimBytesPerSecond);
        }
    }

    /** Alone. */
    public KvNodeConfig(
            Path dataDirectory,
            boolean bootstrap,
            long cacheBytes,
            long writeBufferBytes,
            RangeSettings range,
            OptionalLong lowWaterBytes,
            LogSync sync) {
        this(
                dataDirectory,
                bootstrap,
                cacheBytes,
                writeBufferBytes,
                range,
                lowWaterBytes,
                sync,
                RocksResources.RECLAIM_BYTES_PER_SECOND,
                null);
    }

    /** The same as one of several. */
    public KvNodeConfig in(ClusterSettings settings) {
        return new KvNodeConfig(
                dataDirectory,
                bootstrap,
                cacheBytes,
                writeBufferBytes,
                range,
                lowWaterBytes,
                sync,
                reclaimBytesPerSecond,
                settings);
    }

    /** The same with another rate. */
    public KvNodeConfig reclaimingAt(long bytesPerSecond) {
        return new KvNodeConfig(
                dataDirectory,
                bootstrap,
                cacheBytes,
                writeBufferBytes,
                range,
                lowWaterBytes,
                sync,
                bytesPerSecond,
                cluster);
    }

    /** With everything fsynced. */
    public KvNodeConfig(
            Path dataDirectory,
            boolean bootstrap,
            long cacheBytes,
            long writeBufferBytes,
            RangeSettings range,
            OptionalLong lowWaterBytes) {
        this(dataDirectory, bootstrap, cacheBytes, writeBufferBytes, range, lowWaterBytes, LogSync.ALL);
    }

    /** The defaults for a node of one's own. */
    public static KvNodeConfig standalone(Path dataDirectory) {
        return new KvNodeConfig(
                dataDirectory, true, 128L << 20, 64L << 20, RangeSettings.DEFAULT, OptionalLong.empty());
    }
}
