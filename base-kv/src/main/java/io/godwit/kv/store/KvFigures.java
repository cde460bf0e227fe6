package io.godwit.kv.store;

import io.godwit.kv.raft.log.LogStats;
import java.util.Map;

/**
 * How much there is of everything in the stores of this node, at about one time.
 *
 * @param stores by name, those that are open
 * @param log what the Raft log of all stores has done since the node was opened; while the log is closed or opened
 *     again, what was last known
 * @param logBytes what it takes in memory and table files; 0 while the log is closed or opened again
 * @param cacheBytes of the block cache of all ranges, what is used: blocks, filters and memtables
 * @param cachePinnedBytes of that, what can not be given up
 * @param cacheCapacityBytes how large the cache may become
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

    /** Of one store; zeros when it is not open. */
    public StoreFigures store(String name) {
        return stores.getOrDefault(name, StoreFigures.NONE);
    }
}
