package io.godwit.kv.member;

import io.godwit.kv.disk.DamagedDataException;
import io.godwit.kv.facts.ClusterFacts;
import io.godwit.kv.facts.ClusterFacts.Voters;
import io.godwit.kv.raft.log.SharedRaftLog;
import io.godwit.kv.remote.NodeReport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The {@link ClusterFacts} that this node knows, in its durable node record. Every change passes through here: by
 * operators, by the configuration and by other nodes.
 *
 * <p>The number of voters of a store is noted when the store is opened on a node that has ranges of it and knows no
 * number yet: at founding, and at the first start after a release that noted none. A node that joins has no ranges, so
 * it takes the number from the others. Later the configuration counts only if it was given explicitly and asks for more
 * than was ever wanted.
 *
 * <p>Any thread. Uses a lock instead of its own thread, because a change must be in force when the call returns. Facts
 * of other nodes are in force at once and written a moment later; a crash in between loses only what others send again.
 */
public final class NotedFacts {
    private static final Logger LOG = LoggerFactory.getLogger(NotedFacts.class);
    private static final String RECORD = "cluster-facts";

    private final String self;
    private final SharedRaftLog log;
    private final Executor io;
    private final Object writing = new Object();
    /** Voters of open stores that the configuration of this node asks for explicitly. */
    private final Map<String, Integer> given = new HashMap<>(); // guarded by this

    private final CopyOnWriteArrayList<Consumer<String>> onForgotten = new CopyOnWriteArrayList<>();
    private volatile ClusterFacts facts; // written with the lock held

    /**
     * @param logDirectory directory of {@code log}, for error messages
     * @param io runs tasks that may block
     * @throws DamagedDataException if the record cannot be read
     */
    public NotedFacts(String self, Path logDirectory, SharedRaftLog log, Executor io) throws DamagedDataException {
        this.self = self;
        this.log = log;
        this.io = io;
        byte[] record = log.nodeRecord(RECORD);
        try {
            this.facts = record == null ? ClusterFacts.NONE : ClusterFacts.decode(record);
        } catch (IOException e) {
            throw DamagedDataException.unreadable(
                    logDirectory, "facts of the cluster", record, ClusterFacts.VERSION, e);
        }
    }

    public ClusterFacts now() {
        return facts;
    }

    public boolean isForgotten(String storeId) {
        return facts.isForgotten(storeId);
    }

    /** Why this node may not go on; empty if it may. */
    public Optional<String> whyNot() {
        return facts.isForgotten(self) ? Optional.of(wayBack(self)) : Optional.empty();
    }

    /** How a node that was given up can come back. */
    static String wayBack(String storeId) {
        return "node " + storeId + " was forgotten by an operator, and its cluster has replaced its replicas. "
                + "Its data was not changed. To join again, move its data directory aside and start it with an "
                + "empty one and bootstrap false. It then joins as a new node and gets replicas";
    }

    /** Adds {@code listener}, which gets the store id of each node that is forgotten, on any thread. */
    public void onForgotten(Consumer<String> listener) {
        onForgotten.add(listener);
    }

    // --- voters wanted of a store

    /**
     * A store was opened on this node.
     *
     * @param configured number of voters in the configuration
     * @param isGiven whether the configuration names the number explicitly
     * @param hasRanges whether this node has ranges of the store; blocks if so
     */
    public void opened(String store, int configured, boolean isGiven, boolean hasRanges) {
        if (configured > ClusterFacts.MAX_VOTERS) {
            throw new IllegalArgumentException(
                    store + ": " + configured + " voters, at most " + ClusterFacts.MAX_VOTERS);
        }
        synchronized (this) {
            if (isGiven) {
                given.put(store, configured);
            }
        }
        change(known -> hasRanges && known.wantedOf(store).isEmpty() ? known.wanting(store, configured) : known);
        write();
    }

    /** Raises numbers of voters to what the configuration asks for. */
    private ClusterFacts raised(ClusterFacts known) {
        ClusterFacts raised = known;
        for (Map.Entry<String, Integer> store : given.entrySet()) {
            Optional<Voters> wanted = known.wantedOf(store.getKey());
            if (wanted.isPresent() && store.getValue() > wanted.get().highest()) {
                LOG.info(
                        "the configuration raises the wanted number of voters store={} from={} to={}",
                        store.getKey(),
                        wanted.get().count(),
                        store.getValue());
                raised = raised.wanting(store.getKey(), store.getValue());
            }
        }
        return raised;
    }

    /** An operator sets the number of voters. In force and durable when it returns; blocks. */
    public void want(String store, int count) {
        change(known -> known.wanting(store, count));
        write();
    }

    /** An operator gives a node up. In force and durable when it returns; blocks. */
    public void forget(String storeId) {
        change(known -> known.forgetting(storeId));
        write();
    }

    // --- facts from other nodes

    /** Merges and stores the facts of another node, before this node confirms them to it. Blocks. */
    public void takeOver(ClusterFacts told) {
        change(known -> known.merged(told));
        write();
    }

    /**
     * Merges the facts in a report.
     *
     * @return whether the rest of the report counts; false if its node is forgotten
     */
    public boolean admit(NodeReport report) {
        if (report.storeId().equals(self)) {
            return true;
        }
        if (facts.isForgotten(report.storeId())) {
            return false;
        }
        if (change(known -> known.merged(report.facts()))) {
            try {
                io.execute(this::writeLater);
            } catch (RejectedExecutionException e) {
                LOG.debug("facts of the cluster are told again after the next start: closing");
            }
        }
        ClusterFacts known = facts;
        // a node that is itself forgotten gives up no replica, so that its data stays unchanged
        return !known.isForgotten(report.storeId()) && !known.isForgotten(self);
    }

    private boolean change(UnaryOperator<ClusterFacts> step) {
        Set<String> gone;
        synchronized (this) {
            ClusterFacts before = facts;
            ClusterFacts after = raised(step.apply(before));
            if (after.equals(before)) {
                return false;
            }
            facts = after;
            gone = new TreeSet<>(after.forgotten());
            gone.removeAll(before.forgotten());
            LOG.info("facts of the cluster voters={} forgotten={}", after.voters(), after.forgotten());
        }
        gone.forEach(storeId -> onForgotten.forEach(listener -> listener.accept(storeId)));
        return true;
    }

    private void write() {
        synchronized (writing) { // serialized, so that the last write has the newest facts
            byte[] encoded = facts.encode();
            byte[] record = log.nodeRecord(RECORD);
            if (record == null ? !facts.equals(ClusterFacts.NONE) : !Arrays.equals(record, encoded)) {
                log.putNodeRecord(RECORD, encoded);
            }
        }
    }

    private void writeLater() {
        try {
            write();
        } catch (RuntimeException e) { // outermost frame; others send the facts again after the next start
            LOG.warn("the facts of the cluster cannot be written", e);
        }
    }
}
