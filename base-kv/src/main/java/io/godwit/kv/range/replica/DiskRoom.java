package io.godwit.kv.range.replica;

import io.godwit.kv.coprocessor.Proposal;

/** How much room the disk has for writes, from much to little. */
public enum DiskRoom {
    /** Everything is written. */
    AMPLE,
    /** Below the low-water mark: only what is {@linkplain Proposal#isRelieving relieving} is written. */
    LOW,
    /** So little that nothing is written: what is left is for the log and for snapshots. */
    NONE;

    /** Whether there is room for a mutation. */
    public boolean takes(boolean relieving) {
        return this == AMPLE || this == LOW && relieving;
    }
}
