package io.godwit.kv.raft;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Status;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** A running replica of a Raft group. Thread-safe; only {@link #resetVoters} and {@link #close} block. */
public interface RaftGroup extends AutoCloseable {
    /**
     * The members of a group, by store id.
     *
     * @param learners members that get all entries and do not vote
     */
    record Membership(List<String> voters, List<String> learners) {
        public Membership {
            voters = List.copyOf(voters);
            learners = List.copyOf(learners);
        }

        /** Compares without regard to the order. */
        public boolean isSameAs(Membership other) {
            return Set.copyOf(voters).equals(Set.copyOf(other.voters))
                    && Set.copyOf(learners).equals(Set.copyOf(other.learners));
        }
    }

    /** The id of the group, the same on all nodes. */
    String groupId();

    /**
     * Appends {@code entry} if this node still leads in {@code term}. {@code done} runs on a thread of the group once
     * the entry is applied, otherwise with an error.
     */
    void append(byte[] entry, long term, Closure done);

    /**
     * Asks for a log index that covers everything acknowledged anywhere before this call, and waits until it is applied
     * here.
     *
     * @param done called once, within seconds, with the outcome, on a thread of the group or of a timer; it must hand
     *     over
     */
    void readIndex(Consumer<Status> done);

    /**
     * On the leader: tells the followers now how far entries are committed, which they would otherwise learn with the
     * next append or heartbeat. Costs one heartbeat to each. A follower that has not yet acknowledged the entries
     * learns nothing; a caller that waits for it announces again.
     */
    default void announceCommit() {
        // the heartbeats that confirm the index carry the commit index; if they fail, the next ones carry it
        readIndex(status -> {});
    }

    /** Takes a snapshot. Must not be called on the apply thread, which it may wait for. */
    void snapshot(Closure done);

    /** The leader's store id, as this replica knows it; empty if it knows none. */
    String leader();

    /** The members, as far as this replica knows; a change may be in progress. */
    Membership membership();

    /**
     * On the leader: makes a node a voter. {@code done} runs when the change is in force; with an error if this replica
     * does not lead, another change is in progress, or the node does not catch up. A learner is removed before it
     * becomes a voter and gets no entries in between; it keeps its data.
     */
    void addVoter(String storeId, Closure done);

    /** On the leader: removes a voter, possibly itself; the rest is as in {@link #addVoter}. */
    void removeVoter(String storeId, Closure done);

    /** On the leader: adds a learner; the rest is as in {@link #addVoter}. */
    void addLearner(String storeId, Closure done);

    /** On the leader: removes a learner; the rest is as in {@link #addVoter}. */
    void removeLearner(String storeId, Closure done);

    /**
     * On the leader: hands the leadership over to a voter. No entries are accepted until that voter has them all and
     * leads, or an election timeout has passed.
     *
     * @return whether the hand-over has begun
     */
    Status transferLeadershipTo(String storeId);

    /** Whether a {@link #transferLeadershipTo} is in progress. */
    boolean isHandingOver();

    /** Whether this replica leads, as far as it knows. */
    boolean isLeading();

    /**
     * Index of the last entry in this replica's log, or of its snapshot if the log is empty; 0 if the replica has
     * stopped.
     */
    long lastLogIndex();

    /** Number of entries that this replica knows to be committed and has not applied yet; 0 if it has stopped. */
    default long applyLag() {
        return 0; // for implementations that apply entries as they are committed
    }

    /** Whether the replica has stopped after an error or was closed. */
    boolean isStopped();

    /**
     * Makes {@code voters} the only members, by this replica's decision alone, without a majority of the former voters:
     * for a group whose majority is lost for ever. What only lost voters had is lost. Blocks.
     */
    Status resetVoters(Collection<String> voters);

    /** Stops the replica and waits until nothing of it runs any more. */
    @Override
    void close();
}
