package io.godwit.plugin.balance;

/** What is being done to a range, so that nothing else is begun. */
public enum RangeChange {
    SPLIT,
    MERGE,
    REPLICAS,
    LEADER,
    /** An action failed a moment ago: it is not yet time for another. */
    PAUSE
}
