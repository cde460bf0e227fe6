package io.godwit.kv.operate;

import io.godwit.kv.balance.BalanceControl;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.facts.ClusterFacts;
import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.RangeLoad;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What an operator may ask of one store, on any node; the leader of a range carries out what concerns that range. Any
 * thread; unless stated otherwise, methods do not block.
 */
public interface StoreOperations {
    /** More voters would make no data safer, and each write slower. */
    int MAX_VOTERS = ClusterFacts.MAX_VOTERS;

    /** The name of the store. */
    String name();

    /**
     * All ranges of the key space in the order of their first keys, as this node knows them. Data of ranges led
     * elsewhere may be some seconds old.
     */
    List<RangeInfo> ranges();

    /**
     * The store id of the leader of a range, as far as the replica on this node knows; empty if it knows none, or if
     * there is no replica here. Costs the same however many ranges there are, unlike {@link #ranges}.
     */
    String leaderOf(long rangeId);

    /**
     * Carries out a split, a merge, a change of a replica or a move of a leader, on the node that leads the range. The
     * result is {@code STALE} if the range does not have the epoch of the action ({@link RangeInfo#epoch}).
     *
     * @return completes on any thread, never with a failure; with {@code FAILED} if the deadline passes first, in which
     *     case the action may still succeed later
     */
    CompletableFuture<OperationResult> carryOut(BalanceAction action, Deadline deadline);

    /** The number of voters that every range should have, once there are enough nodes. */
    int wantedVoters();

    /**
     * Sets the number of voters of every range, whatever the configuration says. Unless {@code mayReduce}, a lower
     * number than now is refused with a description of what would be lost. Blocks while this node writes it.
     *
     * @param count 1 to {@link #MAX_VOTERS}
     * @return completes when the members have stored it, or when some have not answered in time; never with a failure
     */
    CompletableFuture<OperationResult> wantVoters(int count, boolean mayReduce);

    /** The balancers of this store on this node. A pause survives restarts. */
    BalanceControl balance();

    /** Names of the balancers of this store on this node that an operator has paused. */
    List<String> pausedBalancers();

    /**
     * One range, as operators see it.
     *
     * @param start first key, inclusive
     * @param end exclusive; null means no end
     * @param voters store ids
     * @param learners store ids of replicas that do not vote
     * @param leader store id; empty if none is known
     * @param term Raft term of the leader
     * @param sizeBytes approximate size of one replica on disk
     * @param change the change in progress; empty if there is none
     * @param faults replicas that have stopped, one line each: store id, colon, space, reason
     */
    @SuppressWarnings("ArrayRecordComponent")
    record RangeInfo(
            long id,
            byte[] start,
            byte @Nullable [] end,
            long epoch,
            List<String> voters,
            List<String> learners,
            String leader,
            long term,
            long sizeBytes,
            RangeLoad load,
            String change,
            List<String> faults) {
        public RangeInfo {
            voters = List.copyOf(voters);
            learners = List.copyOf(learners);
            faults = List.copyOf(faults);
        }

        /** Whether the replica on the node with this store id has stopped after a fault. */
        public boolean hasStopped(String storeId) {
            return faults.stream().anyMatch(line -> line.startsWith(storeId + ": "));
        }

        @Override
        public String toString() {
            return "RangeInfo[id=" + id + ", bounds=" + new RangeBounds(start, end) + ", epoch=" + epoch + ", voters="
                    + voters + ", learners=" + learners + ", leader=" + leader + ", change=" + change + ", faults="
                    + faults + "]";
        }
    }
}
