package io.godwit.broker.metrics;

import io.godwit.kv.KvNode;
import io.godwit.kv.client.StoreMeasures;
import io.godwit.kv.store.KvFigures;
import io.godwit.kv.store.StoreFigures;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Meters of the stores: how long writes take, and sizes and counts by store. The values of a store are sums over its
 * replicas on this node, and are read once for all meters of a scrape. Thread-safe.
 */
public final class StoreMeters implements StoreMeasures {
    /** The stores of a broker; no others are measured. */
    public static final List<String> STORES = List.of("dist", "inbox", "retain");

    private final MeterRegistry meters;
    private final Timer syncs;
    private final Map<String, Timer> commits = new HashMap<>();

    /** Set before the first read. */
    private volatile Supplier<KvFigures> source = () -> {
        throw new IllegalStateException("no node is registered");
    };

    private final Lately<KvFigures> figures;

    public StoreMeters(MeterRegistry meters) {
        this(meters, System::nanoTime);
    }

    /** @param nanoTime the monotonic clock */
    StoreMeters(MeterRegistry meters, LongSupplier nanoTime) {
        this.meters = meters;
        this.figures = new Lately<>(() -> source.get(), nanoTime);
        syncs = Timer.builder("godwit.kv.log.sync")
                .description("time until a write of the Raft log is on the disk, with the wait for writes before it")
                .register(meters);
        for (String store : STORES) {
            commits.put(
                    store,
                    Timer.builder("godwit.kv.commit")
                            .description("time until an entry of mutations is committed and applied on its leader")
                            .tag("store", store)
                            .register(meters));
        }
    }

    @Override
    public void synced(long nanos) {
        syncs.record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void committed(String store, long nanos) {
        Timer timer = commits.get(store);
        if (timer != null) {
            timer.record(nanos, TimeUnit.NANOSECONDS);
        }
    }

    /** Registers the meters of an open node. After the node was closed, they are zero. */
    public void register(KvNode node) {
        FunctionCounter.builder("godwit.kv.mutations.too.large", node, KvNode::mutationsTooLarge)
                .description("writes refused because the log takes none of their size")
                .register(meters);
        register(node::figures);
    }

    void register(Supplier<KvFigures> asked) {
        source = asked;
        bytes("cache", "block cache of all stores in use, filters and memtables with it", KvFigures::cacheBytes);
        bytes("cache.pinned", "of the block cache, what can not be given up", KvFigures::cachePinnedBytes);
        bytes("cache.capacity", "how large the block cache may become", KvFigures::cacheCapacityBytes);
        bytes("log", "Raft log of all stores, in memory and table files", KvFigures::logBytes);
        counter(
                "log.writes",
                null,
                "batches written to the Raft log",
                now -> now.log().writes());
        counter("log.syncs", null, "fsyncs of the Raft log", now -> now.log().syncs());
        counter(
                "log.written",
                BaseUnits.BYTES,
                "what was written to the Raft log",
                now -> now.log().bytes());
        counter(
                "log.rewritten",
                BaseUnits.BYTES,
                "of the Raft log, written to table files later on",
                now -> now.log().tableBytes());
        STORES.forEach(this::registerStore);
    }

    private void registerStore(String store) {
        gauge(store, "replicas", null, "replicas of ranges on this node", StoreFigures::replicas);
        gauge(store, "leaders", null, "ranges that this node leads", StoreFigures::leaders);
        gauge(store, "replicas.stopped", null, "replicas that have stopped after a fault", StoreFigures::stopped);
        gauge(store, "apply.lag", "entries", "entries committed and not applied here yet", StoreFigures::applyLag);
        String bytes = BaseUnits.BYTES;
        gauge(store, "memtables", bytes, "what RocksDB has in memory, not flushed", StoreFigures::memtableBytes);
        gauge(store, "tables", bytes, "table files of RocksDB", StoreFigures::tableBytes);
        gauge(
                store,
                "compaction.pending",
                bytes,
                "what compactions have to rewrite, about",
                StoreFigures::pendingCompactionBytes);
        gauge(
                store,
                "replicas.held.back",
                null,
                "replicas whose writes RocksDB slows down or stops now, since compactions do not keep up",
                StoreFigures::heldBack);
        FunctionCounter.builder(
                        "godwit.kv.stalls",
                        this,
                        self -> self.figures().store(store).stalls())
                .description("times that RocksDB began to slow down or stop writes")
                .tag("store", store)
                .register(meters);
    }

    private void bytes(String name, String description, ToLongFunction<KvFigures> value) {
        Gauge.builder("godwit.kv." + name, () -> value.applyAsLong(figures()))
                .description(description)
                .baseUnit(BaseUnits.BYTES)
                .register(meters);
    }

    private void counter(String name, @Nullable String unit, String description, ToLongFunction<KvFigures> value) {
        FunctionCounter.builder("godwit.kv." + name, this, self -> value.applyAsLong(self.figures()))
                .description(description)
                .baseUnit(unit)
                .register(meters);
    }

    private void gauge(
            String store, String name, @Nullable String unit, String description, ToLongFunction<StoreFigures> value) {
        Gauge.builder("godwit.kv." + name, () -> value.applyAsLong(figures().store(store)))
                .description(description)
                .baseUnit(unit)
                .tag("store", store)
                .register(meters);
    }

    private KvFigures figures() {
        return figures.get();
    }
}
