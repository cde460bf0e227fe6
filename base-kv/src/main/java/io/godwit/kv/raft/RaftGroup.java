package io.godwit.kv.raft;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Status;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** A running replica of a Raft group. Thread-safe; nothing but {@link #resetVoters} and {@link #close} blocks. */
public interface RaftGroup extends AutoCloseable {
    /**
     * Who takes part in a group, by store id.
     *
     * @param learners get all entries and do not vote
     */
    record Membership(List<String> voters, List<String> learners) {
        public Membership {
            voters = List.copyOf(voters);
            learners = List.copyOf(learners);
        }

        /** In whatever order. */
        public boolean isSameAs(Membership other) {
            return Set.copyOf(voters).equals(Set.copyOf(other.voters))
                    && Set.copyOf(learners).equals(Set.copyOf(other.learners));
        }
    }

    /** Its name, the same on all nodes. */
    String groupId();

    /**
     * Appends if this node still leads {@code term}; {@code done} runs on a thread of the group, with an error, unless
     * it is applied.
     */
    void append(byte[] entry, long term, Closure done);

    /**
     * Asks for a point in the log that holds all that was acknowledged anywhere before this call, and waits until it is
     * applied here.
     *
     * @param done told once, within seconds, whether it was; on a thread of the group or a timer's, so it must only
     *     hand on
     */
    void readIndex(Consumer<Status> done);

    /**
     * Lets the followers know how far entries are committed, which they would hear with the next append or heartbeat,
     * so that they apply them now; on the leader. Costs a heartbeat to each. A follower that has not acknowledged the
     * entries yet learns nothing by it: whoever waits for it announces again.
     */
    default void announceCommit() {
        // the heartbeats that confirm the index have carried it; if they failed, the next ones will
        readIndex(status -> {});
    }

    /** Not for the apply thread, which it may wait for. */
    void snapshot(Closure done);

    /** The leader's store id as this replica knows it; empty while it knows none. */
    String leader();

    /** Who takes part, as far as this replica knows: a change may be under way. */
    Membership membership();

    /**
     * Makes a node a voter, on the leader. {@code done} is told when the group goes by it; with an error when this
     * replica does not lead, another change is under way, or the node does not catch up. A learner is none while it is
     * made a voter, and gets no entries until it is one; it keeps what it has.
     */
    void addVoter(String storeId, Closure done);

    /** Makes a voter none, on the leader, which may remove itself; as {@link #addVoter}. */
    void removeVoter(String storeId, Closure done);

    /** As {@link #addVoter}. */
    void addLearner(String storeId, Closure done);

    /** As {@link #addVoter}. */
    void removeLearner(String storeId, Closure done);

    /**
     * Has the leader, which this must be, hand over to a voter: no more entries are taken until that has them all and
     * leads, or an election timeout has passed. Returns whether it has begun.
     */
    Status transferLeadershipTo(String storeId);

    /** Whether {@link #transferLeadershipTo} is under way. */
    boolean isHandingOver();

    /** Whether this replica leads, as far as it knows. */
    boolean isLeading();

    /**
     * Index of the last entry in this replica's log, or of the snapshot that it begins behind; 0 when it has stopped.
     */
    long lastLogIndex();

    /** Entries that are committed, as this replica knows, and not applied here yet; 0 when it has stopped. */
    default long applyLag() {
        return 0; // where entries are applied as they are committed
    }

    /** Whether the replica has stopped after an error, or was closed. */
    boolean isStopped();

    /**
     * Makes {@code voters} the group's only members, on this replica's word alone, without a majority of those there
     * were: for a group whose majority is lost for ever. Whatever only the lost ones had is lost. Blocks.
     */
    Status resetVoters(Collection<String> voters);

    /** Stops the replica and waits until nothing of it runs any more. */
    @Override
    void close();
}
