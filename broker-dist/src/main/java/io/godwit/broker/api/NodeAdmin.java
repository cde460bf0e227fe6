package io.godwit.broker.api;

import io.godwit.api.port.NotServingException;
import io.godwit.api.port.cluster.ClusterAdmin;
import io.godwit.api.port.cluster.HealthView;
import io.godwit.api.port.cluster.Liveness;
import io.godwit.api.port.cluster.NodeView;
import io.godwit.api.port.cluster.RangeView;
import io.godwit.api.port.cluster.StoreView;
import io.godwit.broker.release.Release;
import io.godwit.kv.operate.NodeOperations;
import io.godwit.kv.operate.NodeOperations.DrainStatus;
import io.godwit.kv.operate.NodeOperations.NodeInfo;
import io.godwit.kv.operate.StoreOperations;
import io.godwit.kv.operate.StoreOperations.RangeInfo;
import io.godwit.kv.store.StoreHealth;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The nodes and stores of the cluster, from {@link NodeOperations}; available while the node's stores are open.
 * Thread-safe.
 */
public final class NodeAdmin implements ClusterAdmin {
    private final NodeHealth health;
    /** Null before the stores are opened, and again before they are closed. */
    private volatile @Nullable Node node;

    private record Node(NodeOperations operations, Supplier<Map<String, StoreHealth>> stores) {}

    public NodeAdmin(NodeHealth health) {
        this.health = health;
    }

    /** @param stores the health of the stores, by name; may wait for their locks */
    public void opened(NodeOperations operations, Supplier<Map<String, StoreHealth>> stores) {
        node = new Node(operations, stores);
    }

    /** From now on no calls reach the stores, except those under way. */
    public void closing() {
        node = null;
    }

    private Node node() {
        Node now = node;
        if (now == null) {
            throw new NotServingException("the node has no stores open: it starts or stops");
        }
        return now;
    }

    /** The reasons why this node does not fully serve, as known by its stores; empty without stores. */
    public List<String> lacks() {
        Node now = node;
        List<String> lacks = new ArrayList<>();
        if (now == null) {
            return List.of();
        }
        now.stores().get().forEach((name, store) -> {
            if (store.state() != StoreHealth.State.SERVING) {
                lacks.add("store " + name + ": " + (store.state() + " " + store.detail()).strip());
            }
        });
        if (now.operations().drainStatus(now.operations().self()).isDraining()) {
            lacks.add("an operator drains the node");
        }
        return lacks;
    }

    @Override
    public HealthView health() {
        return health.view();
    }

    @Override
    public List<NodeView> nodes() {
        NodeOperations operations = node().operations();
        return operations.nodes().stream()
                .map(info -> view(info, operations))
                .sorted(Comparator.comparing(NodeView::id))
                .toList();
    }

    private static NodeView view(NodeInfo info, NodeOperations operations) {
        boolean isThis = info.storeId().equals(operations.self());
        DrainStatus has = operations.drainStatus(info.storeId());
        return new NodeView(
                info.storeId(),
                info.rpc(),
                info.version().isEmpty() && isThis ? Release.version() : info.version(),
                info.zone(),
                switch (info.liveness()) {
                    case ALIVE -> Liveness.ALIVE;
                    case SUSPECT -> Liveness.SUSPECT;
                    case DOWN -> Liveness.DOWN;
                },
                info.isDraining(),
                info.cores(),
                Double.isFinite(info.cpuLoad()) ? info.cpuLoad() : -1,
                info.diskTotalBytes(),
                info.diskFreeBytes(),
                has.leaders(),
                has.replicas(),
                info.isForgotten(),
                isThis);
    }

    @Override
    public List<StoreView> stores() {
        Node now = node();
        Map<String, StoreHealth> states = now.stores().get();
        return now.operations().stores().stream()
                .sorted()
                .flatMap(name -> now.operations().store(name).stream())
                .map(store -> view(store, states.get(store.name())))
                .toList();
    }

    private static StoreView view(StoreOperations store, @Nullable StoreHealth health) {
        List<RangeInfo> ranges = store.ranges();
        StoreHealth.State state = health == null ? StoreHealth.State.STARTING : health.state();
        return new StoreView(
                store.name(),
                state.name().toLowerCase(Locale.ROOT).replace('_', '-'),
                health == null ? "" : health.detail(),
                store.wantedVoters(),
                ranges.size(),
                (int) ranges.stream().filter(range -> range.leader().isEmpty()).count(),
                ranges.stream().mapToLong(RangeInfo::sizeBytes).sum());
    }

    @Override
    public Optional<List<RangeView>> ranges(String store) {
        return node().operations()
                .store(store)
                .map(found ->
                        found.ranges().stream().map(range -> view(store, range)).toList());
    }

    private static RangeView view(String store, RangeInfo range) {
        byte[] end = range.end() == null ? new byte[0] : range.end();
        HexFormat hex = HexFormat.of();
        return new RangeView(
                store,
                range.id(),
                range.epoch(),
                ReadableKeys.of(range.start()),
                ReadableKeys.of(end),
                hex.formatHex(range.start()),
                hex.formatHex(end),
                range.leader(),
                range.term(),
                range.voters(),
                range.learners(),
                range.sizeBytes(),
                range.load().operationsPerSecond(),
                range.load().peakOperationsPerSecond(),
                range.change(),
                range.faults());
    }
}
