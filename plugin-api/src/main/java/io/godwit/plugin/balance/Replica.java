package io.godwit.plugin.balance;

import java.util.Optional;

/**
 * One replica of a range, as the range's leader knows it.
 *
 * @param store the store id
 * @param isVoter whether it counts in the quorum; a learner only copies
 * @param isCaughtUp whether it runs and its log, as last reported, lags the leader's by a small margin at most
 * @param fault why the replica has stopped; empty while it runs, as far as is known
 */
public record Replica(String store, boolean isVoter, boolean isCaughtUp, Optional<ReplicaFault> fault) {
    public Replica {
        if (store.isEmpty()) {
            throw new IllegalArgumentException("a replica without a store");
        }
        if (isCaughtUp && fault.isPresent()) {
            throw new IllegalArgumentException("the replica on " + store + " cannot have both stopped and caught up");
        }
    }

    /** A replica that runs. */
    public Replica(String store, boolean isVoter, boolean isCaughtUp) {
        this(store, isVoter, isCaughtUp, Optional.empty());
    }
}
