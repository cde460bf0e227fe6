package io.godwit.dist.client;

import io.godwit.kv.client.RangeException;

/** What became of a publish over all its receivers. */
public enum DistOutcome {
    /**
     * Every matching receiver has it: live ones queued in their session, persistent ones committed, or dropped by a
     * stated limit.
     */
    DELIVERED,
    /** No subscription matched. */
    NO_MATCH,
    /** A store takes no more now; nothing may be acknowledged. */
    OVERLOADED,
    /** A store could not write it; nothing may be acknowledged. Part of the receivers may have it. */
    FAILED;

    /**
     * What the failure of a call to any store means, for frontends, which do not know the stores' own exceptions.
     *
     * @return {@link #OVERLOADED} when the store certainly wrote nothing and may take it later, else {@link #FAILED}:
     *     it may have been written
     */
    public static DistOutcome ofFailure(Throwable failure) {
        return failure instanceof RangeException e
                        && (e.reason() == RangeException.Cause.OVERLOADED
                                || e.reason() == RangeException.Cause.DISK_FULL)
                ? OVERLOADED
                : FAILED;
    }
}
