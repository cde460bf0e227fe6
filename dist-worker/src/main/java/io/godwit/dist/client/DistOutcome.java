package io.godwit.dist.client;

/** What became of a publish over all its receivers. */
public enum DistOutcome {
    /** Every matching receiver has it: live ones queued in their session, persistent ones committed, or dropped by a stated limit. */
    DELIVERED,
    /** No subscription matched. */
    NO_MATCH,
    /** A store takes no more now; nothing may be acknowledged. */
    OVERLOADED,
    /** A store could not write it; nothing may be acknowledged. Part of the receivers may have it. */
    FAILED
}
