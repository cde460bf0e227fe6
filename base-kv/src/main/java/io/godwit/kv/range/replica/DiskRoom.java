package io.godwit.kv.range.replica;

import io.godwit.kv.coprocessor.Proposal;

/** How much room the disk has for writes. */
public enum DiskRoom {
    /** Everything is written. */
    AMPLE,
    /** Below the low-water mark: only {@linkplain Proposal#isRelieving relieving} mutations are written. */
    LOW,
    /** Below half of the mark: no mutation is written; the rest of the disk is for the log and snapshots. */
    NONE;

    /** Whether there is room for a mutation. */
    public boolean takes(boolean relieving) {
        return this == AMPLE || this == LOW && relieving;
    }
}
