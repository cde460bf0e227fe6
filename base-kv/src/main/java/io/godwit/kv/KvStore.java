package io.godwit.kv;

import io.godwit.kv.client.Leaders;
import io.godwit.kv.client.Mirror;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.operate.QuorumWatch;
import io.godwit.kv.peers.ClusterLinks;
import io.godwit.kv.range.Range;
import io.godwit.kv.remote.RangeRoutes;
import io.godwit.kv.remote.RouteTable;
import io.godwit.kv.store.StoreHealth;
import io.godwit.kv.store.StoreRanges;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A store of a {@link KvNode}. The node closes it. */
public final class KvStore {
    private final String name;
    private final StoreRanges ranges;
    private final RangeClient client;
    private final Leaders leaders;
    private final CompletableFuture<Void> ready;
    /** Describes what keeps ranges from being served; empty if nothing does. */
    private final Supplier<String> lacks;
    /**
     * Why nothing can be written here any more; null while it can. Set once, by the first thread that meets the fault.
     */
    private volatile @Nullable String failure;

    KvStore(String name, StoreRanges ranges) {
        this.name = name;
        this.ranges = ranges;
        this.client = ranges.client();
        this.leaders = Leaders.alone();
        this.lacks = () -> "";
        this.ready =
                CompletableFuture.allOf(ranges.all().stream().map(Range::ready).toArray(CompletableFuture[]::new));
    }

    /**
     * A store in a cluster. It is ready when all ranges have leaders, on whatever node.
     *
     * @param storeId of this node
     * @param nameOf the name of a node, for people, by its store id
     */
    static KvStore inCluster(
            String name,
            StoreRanges ranges,
            ClusterLinks cluster,
            String storeId,
            UnaryOperator<String> nameOf,
            Executor io) {
        RouteTable table = cluster.table(name);
        CompletableFuture<Void> ready = new CompletableFuture<>();
        Consumer<RangeRoutes> look = routes -> {
            if (routes.isComplete() && !ready.isDone()) {
                io.execute(() -> ready.complete(null));
            }
        };
        table.onChange(look);
        look.accept(table.routes());
        QuorumWatch quorum = new QuorumWatch(
                name,
                storeId,
                ranges::votersInLog,
                id -> id.equals(storeId) || cluster.members().isAlive(id),
                nameOf,
                System::nanoTime);
        return new KvStore(
                name,
                ranges,
                cluster.clientOf(ranges),
                cluster.leadersOf(name),
                ready,
                () -> quorum.look(table.routes(), table.told()));
    }

    private KvStore(
            String name,
            StoreRanges ranges,
            RangeClient client,
            Leaders leaders,
            CompletableFuture<Void> ready,
            Supplier<String> lacks) {
        this.name = name;
        this.ranges = ranges;
        this.client = client;
        this.leaders = leaders;
        this.ready = ready;
        this.lacks = lacks;
    }

    public String name() {
        return name;
    }

    /** The client of the store. Requests wait while their range has no leader yet. */
    public RangeClient client() {
        return client;
    }

    /** The replicas that this node has. */
    public Mirror mirror() {
        return ranges.mirror();
    }

    /** The leaders of the ranges; nodes are named by their store ids. */
    public Leaders leaders() {
        return leaders;
    }

    /**
     * Completes on a range executor or an I/O thread when all ranges serve; fails with
     * {@link io.godwit.kv.client.RangeException}.
     */
    public CompletableFuture<Void> ready() {
        return ready;
    }

    StoreRanges ranges() {
        return ranges;
    }

    void failed(String what) {
        if (failure == null) {
            failure = what;
        }
    }

    /** @param diskDetail why writes may be refused; empty if they are not */
    StoreHealth health(String diskDetail) {
        String failed = failure;
        if (failed != null) {
            return new StoreHealth(StoreHealth.State.FAILED, failed);
        }
        List<String> faults = ranges.faults();
        String lack = lacks.get();
        if (!faults.isEmpty()) {
            String more = faults.size() == 1 ? "" : "; and " + (faults.size() - 1) + " more";
            return new StoreHealth(
                    StoreHealth.State.FAILED, faults.get(0) + more + (lack.isEmpty() ? "" : "; " + lack));
        }
        if (ready.isDone() && !lack.isEmpty()) {
            return new StoreHealth(StoreHealth.State.NO_QUORUM, lack);
        }
        if (!diskDetail.isEmpty()) {
            return new StoreHealth(StoreHealth.State.READ_ONLY, diskDetail);
        }
        return ready.isDone()
                ? new StoreHealth(StoreHealth.State.SERVING, "")
                : new StoreHealth(StoreHealth.State.STARTING, lack.isEmpty() ? "ranges are being opened" : lack);
    }
}
