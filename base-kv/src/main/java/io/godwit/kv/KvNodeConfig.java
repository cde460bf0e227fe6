package io.godwit.kv;

import io.godwit.kv.member.MemberSettings;
import io.godwit.kv.raft.log.LogSync;
import io.godwit.kv.range.data.RocksResources;
import io.godwit.kv.range.replica.RangeSettings;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a node.
 *
 * @param dataDirectory holds all data of the node
 * @param bootstrap whether stores may be created if there is no data; if false, the node then refuses to start
 * @param cacheBytes RocksDB's block cache for all ranges, memtables included
 * @param writeBufferBytes the share of the memtables in {@code cacheBytes}
 * @param lowWaterBytes free disk space below which mutations that add data are refused; below half of it all mutations
 *     are. Empty for 5 % of the disk, but at least 256 MiB and at most 1 GiB
 * @param reclaimBytesPerSecond bound on the rate at which the database of a range is rewritten after a split, to free
 *     the space of the part that was split off
 * @param cluster null for a node that is not in a cluster
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
        @Nullable MemberSettings cluster) {

    public KvNodeConfig {
        if (cacheBytes <= 0 || writeBufferBytes <= 0 || writeBufferBytes > cacheBytes) {
            throw new IllegalArgumentException("cacheBytes=" + cacheBytes + " writeBufferBytes=" + writeBufferBytes);
        }
        if (reclaimBytesPerSecond <= 0) {
            throw new IllegalArgumentException("reclaimBytesPerSecond=" + reclaimBytesPerSecond);
        }
    }

    /** For a node that is not in a cluster. */
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

    /** A copy of this configuration for a node in a cluster. */
    public KvNodeConfig in(MemberSettings settings) {
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

    /** A copy of this configuration with another reclaim rate. */
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

    /** For a node that is not in a cluster and fsyncs everything. */
    public KvNodeConfig(
            Path dataDirectory,
            boolean bootstrap,
            long cacheBytes,
            long writeBufferBytes,
            RangeSettings range,
            OptionalLong lowWaterBytes) {
        this(dataDirectory, bootstrap, cacheBytes, writeBufferBytes, range, lowWaterBytes, LogSync.ALL);
    }

    /** The defaults for a single node. */
    public static KvNodeConfig standalone(Path dataDirectory) {
        return new KvNodeConfig(
                dataDirectory, true, 128L << 20, 64L << 20, RangeSettings.DEFAULT, OptionalLong.empty());
    }
}
