package io.godwit.dist.client;

import io.godwit.kv.client.RangeException;

/** The outcome of a publish over all its receivers. */
public enum DistOutcome {
    /**
     * Every matching receiver has it: live ones queued in their session, persistent ones committed, or dropped by a
     * stated limit.
     */
    DELIVERED,
    /** No subscription matched. */
    NO_MATCH,
    /**
     * A store or a link has no room, or an earlier message of the publisher has failed. The publish must not be
     * acknowledged.
     */
    OVERLOADED,
    /** A store could not write it; the publish must not be acknowledged. Some receivers may have it. */
    FAILED;

    /**
     * The outcome for a failed call to any store, for frontends, which do not know the exceptions of stores.
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
