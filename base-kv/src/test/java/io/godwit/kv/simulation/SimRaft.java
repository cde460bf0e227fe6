package io.godwit.kv.simulation;

import com.alipay.sofa.jraft.StateMachine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Raft groups without threads, network or clock, with exactly JRaft's promises to a state machine. The driver picks the
 * next of the {@link #possible} steps: an entry does or does not reach a follower, a replica applies some committed
 * entries, a majority elects a leader while the former one still believes that it leads. Logs are durable as soon as
 * they are written; the node is responsible for applied state. The members of a group do not change.
 */
final class SimRaft {
    /** The parts of the simulation that a group uses. */
    interface World {
        Random random();

        /** Runs the task on the node later, in any order, unless the node dies before. */
        void later(SimNode node, Runnable task);

        /** A member without a replica is called. */
        void missing(String groupId, SimNode caller, String storeId);

        /** A replica is about to apply these entries. */
        void applying(SimReplica replica, List<SimDisk.Entry> entries);

        void applied(SimReplica replica);

        SimFault fault();

        /** Whether avoidable failures no longer happen. */
        boolean isCalm();
    }

    private final World world;
    private final List<String> voters;
    private final Map<String, SimGroup> groups = new TreeMap<>();
    /** Kinds of entries of which the next is refused, as if the log were too busy. */
    private final Set<Byte> refusedOnce = new TreeSet<>();

    private final Set<Byte> refused = new TreeSet<>();

    /** The node that is not reached; empty for none. */
    private String cutOff = "";

    static long rangeOf(String groupId) {
        return Long.parseLong(groupId.substring(groupId.indexOf('-') + 1));
    }

    SimRaft(World world, List<String> voters) {
        this.world = world;
        this.voters = voters;
    }

    World world() {
        return world;
    }

    /** From now on no other node reaches this one; empty ends that. */
    void cutOff(String storeId) {
        cutOff = storeId;
    }

    /** Refuses the next entry of this kind. */
    void refuseOnce(byte kind) {
        refusedOnce.add(kind);
    }

    /** Refuses all entries of this kind until {@link #accept}. */
    void refuse(byte kind) {
        refused.add(kind);
    }

    void accept(byte kind) {
        refused.remove(kind);
    }

    /** Whether this entry is to be refused. */
    boolean takeRefusal(byte kind) {
        return refusedOnce.remove(kind) || refused.contains(kind);
    }

    /** Whether the network is cut between these two nodes. */
    boolean areApart(String one, String other) {
        return !one.equals(other) && (one.equals(cutOff) || other.equals(cutOff));
    }

    Collection<SimGroup> groups() {
        return groups.values();
    }

    SimGroup group(String id) {
        SimGroup group = groups.get(id);
        if (group == null) {
            throw new IllegalStateException("no group " + id);
        }
        return group;
    }

    boolean runs(String groupId, String storeId) {
        SimGroup group = groups.get(groupId);
        return group != null && group.replicas.containsKey(storeId);
    }

    /** Removes the replicas of a node that died; their disks stay. */
    void crashed(SimNode node) {
        for (SimGroup group : groups.values()) {
            SimDisk disk = group.disks.get(node.id());
            if (world.fault() == SimFault.LOG_TAIL_IS_LOST && disk != null) {
                disk.truncateAfter(Math.max(disk.snapshotIndex, disk.lastIndex() - 3));
            }
            SimReplica replica = group.replicas.remove(node.id());
            if (replica != null) {
                replica.closed = true;
            }
        }
    }

    /**
     * Starts a replica.
     *
     * @param bornWith the snapshot of a group that was created by a split and has never run here; null for any other
     *     group
     * @param isBlank whether it waits to be given all its data
     */
    SimReplica start(SimNode node, String groupId, StateMachine machine, @Nullable Path bornWith, boolean isBlank) {
        SimGroup group = groups.computeIfAbsent(groupId, id -> new SimGroup(id, voters));
        SimDisk disk = group.disks.computeIfAbsent(node.id(), id -> new SimDisk());
        if (bornWith != null) {
            if (disk.lastIndex() > 0 && world.fault() == SimFault.NONE) {
                throw new IllegalStateException("replica of " + groupId + " on " + node.id() + " begins again");
            }
            disk.begin(1, 1, bornWith);
        }
        disk.votesBlank = !isBlank;
        group.maxTerm = Math.max(group.maxTerm, disk.term);
        SimReplica replica = new SimReplica(this, group, node, disk, machine);
        if (disk.snapshot != null && !machine.onSnapshotLoad(new SimSnapshots.Reader(disk))) {
            throw new IllegalStateException("snapshot of " + groupId + " not loaded on " + node.id());
        }
        group.replicas.put(node.id(), replica);
        return replica;
    }

    // --- steps

    /** Adds all possible steps, except elections while there is a leader. */
    void possible(List<Runnable> steps) {
        for (SimGroup group : groups.values()) {
            for (SimReplica replica : group.replicas.values()) {
                replica.possible(steps);
            }
            SimReplica newest = group.newestLeader();
            if ((newest == null || newest.node.id().equals(cutOff))
                    && world.random().nextInt(10) == 0) {
                steps.add(() -> elect(group, null));
            }
        }
    }

    /** A majority elects one of its members, if it can; the former leader does not know if it is not one of them. */
    void elect(SimGroup group, @Nullable String wanted) {
        List<SimReplica> able = new ArrayList<>();
        for (String voter : group.voters) {
            SimReplica replica = group.replicas.get(voter);
            if (replica != null && !replica.failed && replica.disk.mayVote() && !voter.equals(cutOff)) {
                able.add(replica);
            }
        }
        if (able.size() < group.majority()) {
            return;
        }
        Collections.shuffle(able, world.random());
        int size = group.majority() + world.random().nextInt(able.size() - group.majority() + 1);
        List<SimReplica> quorum = able.subList(0, size);
        SimReplica best = Collections.max(
                quorum,
                Comparator.comparingLong((SimReplica replica) -> replica.disk.lastTerm())
                        .thenComparingLong(replica -> replica.disk.lastIndex()));
        if (wanted != null) {
            SimReplica named = group.replicas.get(wanted);
            if (named == null
                    || !quorum.contains(named)
                    || named.disk.lastTerm() != best.disk.lastTerm()
                    || named.disk.lastIndex() != best.disk.lastIndex()) {
                return;
            }
            best = named;
        }
        long term = ++group.maxTerm;
        for (SimReplica voter : quorum) {
            voter.follow(term, "");
        }
        best.lead(term);
    }
}
