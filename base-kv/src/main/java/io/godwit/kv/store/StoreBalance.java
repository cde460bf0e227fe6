package io.godwit.kv.store;

import io.godwit.kv.balance.BalanceLoopConfig;
import io.godwit.kv.balance.policy.BalancePlan;
import io.godwit.plugin.balance.ReplicaGoal;
import java.util.List;

/**
 * How the ranges of a store are balanced.
 *
 * @param goal the goal for every range, unless the cluster has noted another number of voters
 * @param isGoalGiven whether the configuration names that number explicitly; then it may raise the noted one
 * @param plan the balancers, in the order in which they are asked
 */
public record StoreBalance(ReplicaGoal goal, boolean isGoalGiven, BalancePlan plan, BalanceLoopConfig pace) {
    /** No balancers: ranges are changed by operators only. */
    public static final StoreBalance NONE =
            new StoreBalance(new ReplicaGoal(1, false), new BalancePlan(List.of()), BalanceLoopConfig.DEFAULT);

    /** With a goal that was configured explicitly. */
    public StoreBalance(ReplicaGoal goal, BalancePlan plan, BalanceLoopConfig pace) {
        this(goal, true, plan, pace);
    }

    /** Whether there are any balancers. */
    public boolean isBalanced() {
        return !plan.steps().isEmpty();
    }
}
