package io.godwit.plugin.balance;

import java.util.Optional;

/**
 * One step that a {@link RangeBalancer} asks for. It is carried out by the leader of the range and only while the range
 * still has the epoch that the decision was made for.
 */
public sealed interface BalanceAction
        permits BalanceAction.Split, BalanceAction.Merge, BalanceAction.ChangeReplica, BalanceAction.MoveLeader {

    /** Of the range that it is about; for a {@link Merge} the left one. */
    long rangeId();

    /** Of the range, in the view that the decision was made on. */
    long epoch();

    /** Why, for logs and operators: what was seen and the limit it passed. */
    String reason();

    /**
     * Cuts the range in two, both with the replicas it has.
     *
     * @param key first key of the right one; empty: where it halves the bytes, which the leader finds out
     */
    record Split(long rangeId, long epoch, Optional<Key> key, String reason) implements BalanceAction {
        public Split {
            if (key.isPresent() && key.get().isEmpty()) {
                throw new IllegalArgumentException("range " + rangeId + " cannot be cut at the empty key");
            }
        }
    }

    /**
     * Joins the range with the one to its right. Both must have the same voters; they need not have the same leader.
     *
     * @param rangeId the left one, which stays
     * @param rightId the right one, which ends
     * @param rightEpoch of the right one, in the same view
     */
    record Merge(long rangeId, long epoch, long rightId, long rightEpoch, String reason) implements BalanceAction {
        public Merge {
            if (rangeId == rightId) {
                throw new IllegalArgumentException("range " + rangeId + " cannot be merged with itself");
            }
        }
    }

    /**
     * Changes one replica: a voter is never exchanged in one step, but added as a learner, promoted when it has caught
     * up, and only then the other one removed.
     */
    record ChangeReplica(long rangeId, long epoch, Step step, String store, String reason) implements BalanceAction {
        /** What becomes of the replica on the store. */
        public enum Step {
            /**
             * The store has none: it gets one that does not vote. Done when the range knows of it; the copying goes on.
             */
            ADD_LEARNER,
            /** A learner that has caught up becomes a voter. */
            PROMOTE,
            /** A voter that does not lead becomes a learner. */
            DEMOTE,
            /** A learner, or a voter that does not lead, is given up and its data deleted. */
            REMOVE
        }

        public ChangeReplica {
            if (store.isEmpty()) {
                throw new IllegalArgumentException("range " + rangeId + ": " + step + " on no store");
            }
        }
    }

    /**
     * Makes another voter the leader. Does not raise the epoch.
     *
     * @param to the store of a voter
     */
    record MoveLeader(long rangeId, long epoch, String to, String reason) implements BalanceAction {
        public MoveLeader {
            if (to.isEmpty()) {
                throw new IllegalArgumentException("range " + rangeId + ": a leader for no store");
            }
        }
    }
}
