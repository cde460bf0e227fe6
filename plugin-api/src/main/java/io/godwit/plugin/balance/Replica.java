package io.godwit.plugin.balance;

/**
 * One replica of a range, as the range's leader knows it.
 *
 * @param store the store id
 * @param isVoter whether it counts in the quorum; a learner only copies
 * @param isCaughtUp whether it has, up to what is under way, what the leader has
 */
public record Replica(String store, boolean isVoter, boolean isCaughtUp) {
    public Replica {
        if (store.isEmpty()) {
            throw new IllegalArgumentException("a replica without a store");
        }
    }
}
