package io.godwit.kv.store;

import io.godwit.kv.balance.BalanceLoopConfig;
import io.godwit.kv.balance.BalancePlan;
import io.godwit.plugin.balance.ReplicaGoal;
import java.util.List;

/**
 * How the ranges of a store are looked after.
 *
 * @param goal what every range should have, unless the cluster has noted another number of voters
 * @param isGoalGiven whether somebody has written that number into the configuration; it may raise what is noted
 * @param plan who is asked, in order
 */
public record StoreBalance(ReplicaGoal goal, boolean isGoalGiven, BalancePlan plan, BalanceLoopConfig pace) {
    /** Nobody is asked: ranges stay as they are but for what operators do. */
    public static final StoreBalance NONE =
            new StoreBalance(new ReplicaGoal(1, false), new BalancePlan(List.of()), BalanceLoopConfig.DEFAULT);

    /** With a goal that was asked for. */
    public StoreBalance(ReplicaGoal goal, BalancePlan plan, BalanceLoopConfig pace) {
        this(goal, true, plan, pace);
    }

    /** Whether anybody is asked. */
    public boolean isBalanced() {
        return !plan.steps().isEmpty();
    }
}
