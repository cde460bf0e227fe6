package io.godwit.kv.simulation;

/** Faults that a simulation may have on purpose, to show that it detects them. */
enum SimFault {
    NONE,
    /** A leader applies and answers what no majority has yet. */
    ACKNOWLEDGED_BEFORE_COMMIT,
    /** A crash loses entries that were confirmed to be on disk. */
    LOG_TAIL_IS_LOST,
    /** A leader answers reads without asking whether the others still follow. */
    READS_WITHOUT_A_MAJORITY,
    /** Direct requests to a split's right part do not wait for the forwarded ones. */
    FORWARDING_IS_FORGOTTEN,
    /**
     * A crash takes the register back to before a split, which then creates the child again although it has gone on.
     */
    CHILD_IS_MADE_AGAIN,
    /** The pages that a merge copies from the right range never reach the left one. */
    MERGE_COPIES_NOTHING,
    /** A snapshot is named by an index one above its content, so that a follower that installs it lacks an entry. */
    SNAPSHOT_CLAIMS_TOO_MUCH
}
