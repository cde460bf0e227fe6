package io.godwit.kv;

import io.godwit.kv.operate.StoreControl;
import io.godwit.kv.raft.log.SharedRaftLog;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** Notes which balancers operators have paused on this node, and reports them to listeners. Any thread. */
final class PausedBalancers {
    private static final String RECORDS = "paused-balancers/";

    private final Map<String, StoreControl> controls;
    private final SharedRaftLog log;
    private final Executor io;
    private final List<Consumer<List<String>>> listeners = new CopyOnWriteArrayList<>();

    /**
     * Keeps the records in the log of the node.
     *
     * @param controls of the open stores by name; may change at any time
     */
    PausedBalancers(Map<String, StoreControl> controls, SharedRaftLog log, Executor io) {
        this.controls = controls;
        this.log = log;
        this.io = io;
    }

    /** Where the control of a store keeps what is paused. */
    StoreControl.Noting noting(String store) {
        String key = RECORDS + store;
        return new StoreControl.Noting(log.nodeRecord(key), record -> log.putNodeRecord(key, record), this::tell, io);
    }

    /** See {@link KvNode#onPauses}. */
    void addListener(Consumer<List<String>> listener) {
        listeners.add(listener);
    }

    /** Reads and reports under the lock, so the newest state is reported last. */
    void tell() {
        synchronized (listeners) {
            List<String> paused = new TreeMap<>(controls)
                    .entrySet().stream()
                            .flatMap(store -> store.getValue().pausedBalancers().stream()
                                    .map(name -> store.getKey() + " " + name))
                            .toList();
            listeners.forEach(listener -> listener.accept(paused));
        }
    }
}
