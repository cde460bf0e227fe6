package io.godwit.plugin.balance;

/**
 * What is wanted of every range of a key space: the number of voters by the whole cluster, which has noted it.
 *
 * @param voters wanted when there are enough stores, at least 1
 * @param isOnEveryStore whether each store without a voter should have a learner, so that it can read at home
 */
public record ReplicaGoal(int voters, boolean isOnEveryStore) {
    public ReplicaGoal {
        if (voters < 1) {
            throw new IllegalArgumentException("a goal of " + voters + " voters, expected at least 1");
        }
    }
}
