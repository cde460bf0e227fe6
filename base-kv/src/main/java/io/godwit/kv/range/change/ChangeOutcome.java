package io.godwit.kv.range.change;

/** What became of a change. */
public enum ChangeOutcome {
    DONE,
    /** The range is of another epoch, or the change does not fit it: nothing was changed. */
    STALE,
    /**
     * This replica does not lead, something else is being done to the range, or the disk is nearly full: nothing was
     * changed.
     */
    BUSY,
    /** The leadership ended meanwhile: it may be done, now or later. */
    UNKNOWN
}
