package io.godwit.kv;

import io.godwit.kv.balance.BalanceLoopConfig;
import io.godwit.kv.balance.BalancePlan;
import io.godwit.plugin.balance.ReplicaGoal;
import java.util.List;

/**
 * How the ranges of a store are looked after.
 *
 * @param goal what every range should have
 * @param plan who is asked, in order
 */
public record StoreBalance(ReplicaGoal goal, BalancePlan plan, BalanceLoopConfig pace) {
    /** Nobody is asked: ranges stay as they are but for what operators do. */
    public static final StoreBalance NONE =
            new StoreBalance(new ReplicaGoal(1, false), new BalancePlan(List.of()), BalanceLoopConfig.DEFAULT);
}
