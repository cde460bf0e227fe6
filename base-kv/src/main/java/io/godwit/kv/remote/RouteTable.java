package io.godwit.kv.remote;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * The {@link Routes} of one store as they are now.
 *
 * <p>Reports come on threads of the network and of ranges, each with all that one node has, so the last of a node
 * counts. A lock rather than a thread of its own: what is done under it is short, and whoever brings a report wants it
 * to be in force when the call returns.
 */
public final class RouteTable {
    private final Map<String, List<ReplicaReport>> told = new HashMap<>(); // guarded by this
    private final Set<String> gone = new HashSet<>(); // guarded by this
    private final List<Consumer<Routes>> listeners = new CopyOnWriteArrayList<>();
    private volatile Routes routes = Routes.NONE;

    public Routes routes() {
        return routes;
    }

    /**
     * From now on {@code listener} is given the routes when they may have changed, in order, with a lock held: it hands
     * over.
     */
    public void onChange(Consumer<Routes> listener) {
        listeners.add(listener);
    }

    /** All that the node has of the store. */
    public synchronized void told(String storeId, List<ReplicaReport> replicas) {
        List<ReplicaReport> before = told.put(storeId, List.copyOf(replicas));
        boolean isBack = gone.remove(storeId);
        if (isBack || !replicas.equals(before)) {
            work();
        }
    }

    /** The node is gone: what it had is remembered, for as long as nobody else tells of it, and that it led is not. */
    public synchronized void gone(String storeId) {
        List<ReplicaReport> before = told.get(storeId);
        if (before != null) {
            told.put(storeId, before.stream().map(ReplicaReport::withoutLeader).toList());
            gone.add(storeId);
            work();
        }
    }

    /** The node will never be there again: what it told counts no more. */
    public synchronized void forget(String storeId) {
        gone.remove(storeId);
        if (told.remove(storeId) != null) {
            work();
        }
    }

    /** What each node told last, by store id. */
    public synchronized Map<String, List<ReplicaReport>> told() {
        return Map.copyOf(told);
    }

    private void work() {
        Routes next = Routes.of(told, gone);
        routes = next;
        listeners.forEach(listener -> listener.accept(next));
    }
}
