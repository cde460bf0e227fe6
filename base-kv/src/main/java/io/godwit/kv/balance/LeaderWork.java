package io.godwit.kv.balance;

import io.godwit.plugin.balance.RangeLoad;

/** What it is to lead a range, as balancers count it. */
public final class LeaderWork {
    /** What an idle range costs, in operations per second: so that ranges without load are shared evenly too. */
    static final double IDLE = 100;

    private LeaderWork() {}

    /** In operations per second. */
    public static double of(RangeLoad load) {
        return IDLE + load.operationsPerSecond();
    }
}
