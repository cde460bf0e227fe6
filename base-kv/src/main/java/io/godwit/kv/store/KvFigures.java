package io.godwit.kv.store;

import io.godwit.kv.raft.log.LogStats;
import java.util.Map;

/**
 * Figures of all stores of this node, taken at about the same time.
 *
 * @param stores the open stores, by name
 * @param log statistics of the Raft log since the node was opened; the last known ones while the log is closed or being
 *     opened again
 * @param logBytes size of the log in memory and table files; 0 while it is closed or being opened again
 * @param cacheBytes used bytes of the block cache of all ranges: blocks, filters and memtables
 * @param cachePinnedBytes the part of {@code cacheBytes} that cannot be freed
 * @param cacheCapacityBytes the largest size of the cache
 */
public record KvFigures(
        Map<String, StoreFigures> stores,
        LogStats log,
        long logBytes,
        long cacheBytes,
        long cachePinnedBytes,
        long cacheCapacityBytes) {
    public KvFigures {
        stores = Map.copyOf(stores);
    }

    /** Figures of one store; zeros if it is not open. */
    public StoreFigures store(String name) {
        return stores.getOrDefault(name, StoreFigures.NONE);
    }
}
