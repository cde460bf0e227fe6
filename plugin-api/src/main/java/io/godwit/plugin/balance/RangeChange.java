package io.godwit.plugin.balance;

/** The change under way on a range; no other change may begin meanwhile. */
public enum RangeChange {
    SPLIT,
    MERGE,
    REPLICAS,
    LEADER,
    /** An action failed a moment ago; the range waits before the next one. */
    PAUSE
}
