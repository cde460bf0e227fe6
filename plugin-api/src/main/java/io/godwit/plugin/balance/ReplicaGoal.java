package io.godwit.plugin.balance;

/**
 * The replicas that every range of a key space should have. The cluster as a whole has recorded the number of voters.
 *
 * @param voters wanted when there are enough stores, at least 1
 * @param isOnEveryStore whether each store without a voter should have a learner, for local reads
 */
public record ReplicaGoal(int voters, boolean isOnEveryStore) {
    public ReplicaGoal {
        if (voters < 1) {
            throw new IllegalArgumentException("a goal of " + voters + " voters, expected at least 1");
        }
    }
}
