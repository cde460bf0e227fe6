package io.godwit.kv;

/** What a simulation may have wrong on purpose, to show that it would be found. */
enum SimFault {
    NONE,
    /** A leader applies and answers what a majority does not have yet. */
    ACKNOWLEDGED_BEFORE_COMMIT,
    /** A crash takes entries with it that were confirmed to be on disk. */
    LOG_TAIL_IS_LOST,
    /** A leader answers reads without asking whether others still follow. */
    READS_WITHOUT_A_MAJORITY,
    /** What comes to a split's right part by itself does not wait for what is forwarded to it. */
    FORWARDING_IS_FORGOTTEN,
    /** A crash takes the register back to before a split, which is so made again over a child that has gone on. */
    CHILD_IS_MADE_AGAIN,
    /** What a merge copies from the right range never gets into the left one. */
    MERGE_COPIES_NOTHING,
    /** A snapshot is named by an index one above what is in it, so that a follower who is given it lacks an entry. */
    SNAPSHOT_CLAIMS_TOO_MUCH
}
