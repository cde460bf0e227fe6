package io.godwit.kv.store;

import io.godwit.kv.raft.log.LogSizes;
import io.godwit.kv.raft.log.LogStats;
import io.godwit.kv.raft.log.SharedRaftLog;
import io.godwit.kv.range.Range;
import io.godwit.kv.range.data.DbFigures;
import io.godwit.kv.range.data.RocksResources;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Sums the figures of a node's ranges. Does not wait: a range that is being closed or replaced counts as nothing. Asks
 * RocksDB about every range, which takes a few microseconds each.
 */
public final class FigureCollector {
    private final SharedRaftLog log;
    private final RocksResources rocks;
    private final Supplier<? extends Collection<StoreRanges>> stores;
    /** The stalls that each database had reported last; databases that are gone are forgotten. Guarded by this. */
    private IdentityHashMap<Range, Long> stallsBefore = new IdentityHashMap<>();
    /** Stalls by store, including those of databases that are gone. Guarded by this. */
    private final Map<String, Long> stalls = new HashMap<>();
    /**
     * The last counters of the log: it reports none while it is closed or being opened again, and a counter must not
     * fall. Guarded by this.
     */
    private LogStats counted = new LogStats(0, 0, 0, 0);

    public FigureCollector(
            SharedRaftLog log, RocksResources rocks, Supplier<? extends Collection<StoreRanges>> stores) {
        this.log = log;
        this.rocks = rocks;
        this.stores = stores;
    }

    public synchronized KvFigures collect() {
        IdentityHashMap<Range, Long> told = new IdentityHashMap<>();
        Map<String, StoreFigures> figures = new HashMap<>();
        for (StoreRanges store : stores.get()) {
            figures.put(store.name(), of(store, told));
        }
        stallsBefore = told;
        RocksResources.CacheFigures cache = rocks.cacheFigures();
        Optional<LogSizes> sizes = log.sizes();
        sizes.ifPresent(known -> counted = known.stats());
        return new KvFigures(
                figures,
                counted,
                sizes.map(LogSizes::bytes).orElse(0L),
                cache.usedBytes(),
                cache.pinnedBytes(),
                cache.capacityBytes());
    }

    private StoreFigures of(StoreRanges store, Map<Range, Long> told) {
        int replicas = 0;
        int leaders = 0;
        int stopped = 0;
        int heldBack = 0;
        long lag = 0;
        long memtables = 0;
        long tables = 0;
        long pending = 0;
        for (Range range : store.known()) {
            DbFigures db = range.dbFigures();
            replicas++;
            leaders += range.leading() == null ? 0 : 1;
            stopped += range.stoppedBy().isEmpty() ? 0 : 1;
            heldBack += db.isHeldBack() ? 1 : 0;
            lag += range.applyLag();
            memtables += db.memtableBytes();
            tables += db.tableBytes();
            pending += db.pendingCompactionBytes();
            long before = stallsBefore.getOrDefault(range, 0L);
            // a database that was opened again counts from 0
            stalls.merge(store.name(), db.stalls() >= before ? db.stalls() - before : db.stalls(), Long::sum);
            told.put(range, db.stalls());
        }
        return new StoreFigures(
                replicas,
                leaders,
                stopped,
                lag,
                memtables,
                tables,
                pending,
                heldBack,
                stalls.getOrDefault(store.name(), 0L));
    }
}
