package io.godwit.kv.balance.policy;

import io.godwit.plugin.balance.RangeLoad;

/** The cost of leading a range, as balancers count it. */
public final class LeaderWork {
    /** Cost of an idle range in operations per second, so that ranges without load are shared evenly too. */
    static final double IDLE = 100;

    private LeaderWork() {}

    /** Cost in operations per second. */
    public static double of(RangeLoad load) {
        return IDLE + load.operationsPerSecond();
    }
}
