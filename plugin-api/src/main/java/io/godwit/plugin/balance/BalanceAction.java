package io.godwit.plugin.balance;

import java.util.Optional;

/**
 * One step that a {@link RangeBalancer} asks for. The leader of the range carries it out, and only while the range has
 * the epoch that the decision was made for.
 */
public sealed interface BalanceAction
        permits BalanceAction.Split, BalanceAction.Merge, BalanceAction.ChangeReplica, BalanceAction.MoveLeader {

    /** The range to change; for a {@link Merge} the left one. */
    long rangeId();

    /** The epoch of the range in the view that the decision was made on. */
    long epoch();

    /** The reason, for logs and operators: the value seen and the limit it passed. */
    String reason();

    /**
     * Cuts the range in two; both parts keep its replicas.
     *
     * @param key first key of the right part; empty: the leader picks the key that halves the bytes
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
     * Changes one replica. A voter is never replaced in one step: add a learner, promote it when it has caught up, and
     * only then remove the old voter.
     */
    record ChangeReplica(long rangeId, long epoch, Step step, String store, String reason) implements BalanceAction {
        /** The change of the replica on the store. */
        public enum Step {
            /**
             * The store has no replica: it gets a learner. Done when the range has the learner in its configuration;
             * the copying goes on.
             */
            ADD_LEARNER,
            /** A learner that has caught up becomes a voter. */
            PROMOTE,
            /** A voter that does not lead becomes a learner. */
            DEMOTE,
            /** Removes a learner, or a voter that does not lead, and deletes its data. */
            REMOVE
        }

        public ChangeReplica {
            if (store.isEmpty()) {
                throw new IllegalArgumentException("range " + rangeId + ": " + step + " names no store");
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
                throw new IllegalArgumentException("range " + rangeId + ": no store for the leader");
            }
        }
    }
}
