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
 * What an operator may ask of one store, on any node: what concerns a range is carried out by the node that leads it.
 * Any thread; nothing blocks.
 */
public interface StoreOperations {
    /** More make nothing safer, and each write slower. */
    int MAX_VOTERS = ClusterFacts.MAX_VOTERS;

    /** Name of the store. */
    String name();

    /**
     * All ranges of the key space by their first key, as this node knows them: what others lead may be some seconds
     * old.
     */
    List<RangeInfo> ranges();

    /**
     * Has a split, merge, change of a replica or move of a leader carried out where its range is led. It is refused as
     * {@code STALE} unless the range has the epoch of the action ({@link RangeInfo#epoch}).
     *
     * @return completes on any thread, never with a failure. When {@code deadline} passes before it has ended, with
     *     {@code FAILED}: it may end well later
     */
    CompletableFuture<OperationResult> carryOut(BalanceAction action, Deadline deadline);

    /** How many voters every range is to have, as soon as there are so many nodes. */
    int wantedVoters();

    /**
     * Has every range get so many voters, from now on, whatever the configuration says. Fewer than now are refused,
     * saying what is given up, unless that is allowed. Blocks while it is written on this node.
     *
     * @param count 1 to {@link #MAX_VOTERS}
     * @return completes when the members have noted it, or some have not answered in time; never with a failure
     */
    CompletableFuture<OperationResult> wantVoters(int count, boolean mayReduce);

    /** The balancers of this store on this node. A pause lasts over restarts. */
    BalanceControl balance();

    /** Names of the balancers of this store on this node that an operator has paused. */
    List<String> pausedBalancers();

    /**
     * One range.
     *
     * @param start inclusive
     * @param end exclusive; null means without end
     * @param voters store ids
     * @param learners store ids of replicas that do not vote
     * @param leader store id; empty while none is known
     * @param term of the leader
     * @param sizeBytes on disk, about, of one replica
     * @param change what is under way; empty for nothing
     * @param faults replicas that have stopped, a line each: store id, colon, space, why
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

        /** Whether the replica on the node with that store id has stopped after a fault. */
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
