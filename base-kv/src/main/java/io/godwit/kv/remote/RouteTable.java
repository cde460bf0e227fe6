package io.godwit.kv.remote;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * The present {@link RangeRoutes} of one store.
 *
 * <p>Reports come on network threads and range threads. Each has everything of one node, so the last report of a node
 * counts. Uses a lock instead of its own thread, because its work is short, and a report must be in force when the call
 * returns.
 */
public final class RouteTable {
    private final Map<String, List<ReplicaReport>> told = new HashMap<>(); // guarded by this
    private final Set<String> gone = new HashSet<>(); // guarded by this
    private final List<Consumer<RangeRoutes>> listeners = new CopyOnWriteArrayList<>();
    private volatile RangeRoutes routes = RangeRoutes.NONE;

    public RangeRoutes routes() {
        return routes;
    }

    /**
     * Adds {@code listener}, which gets the routes when they may have changed, in order, with a lock held: it must hand
     * over.
     */
    public void onChange(Consumer<RangeRoutes> listener) {
        listeners.add(listener);
    }

    /** Stores a node's report about all its replicas of the store. */
    public synchronized void told(String storeId, List<ReplicaReport> replicas) {
        List<ReplicaReport> before = told.put(storeId, List.copyOf(replicas));
        boolean isBack = gone.remove(storeId);
        if (isBack || !replicas.equals(before)) {
            work();
        }
    }

    /** The node is gone: its replicas still count while no other node reports them, but its leaderships do not. */
    public synchronized void gone(String storeId) {
        List<ReplicaReport> before = told.get(storeId);
        if (before != null) {
            told.put(storeId, before.stream().map(ReplicaReport::withoutLeader).toList());
            gone.add(storeId);
            work();
        }
    }

    /** The node will never come back: its report is dropped. */
    public synchronized void forget(String storeId) {
        gone.remove(storeId);
        if (told.remove(storeId) != null) {
            work();
        }
    }

    /** The last report of each node, by store id. */
    public synchronized Map<String, List<ReplicaReport>> told() {
        return Map.copyOf(told);
    }

    private void work() {
        RangeRoutes next = RangeRoutes.of(told, gone);
        routes = next;
        listeners.forEach(listener -> listener.accept(next));
    }
}
