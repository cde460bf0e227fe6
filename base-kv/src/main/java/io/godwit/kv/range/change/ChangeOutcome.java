package io.godwit.kv.range.change;

/** The outcome of a change. */
public enum ChangeOutcome {
    DONE,
    /** The range has another epoch, or the change does not fit it: nothing was changed. */
    STALE,
    /** This replica does not lead, another change is in progress, or the disk is nearly full: nothing was changed. */
    BUSY,
    /** The leadership ended before the outcome was known: the change may be done, now or later. */
    UNKNOWN
}
