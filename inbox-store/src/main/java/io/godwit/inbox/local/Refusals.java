package io.godwit.inbox.local;

import io.godwit.kv.client.RangeException;

/** How the leaders of a process refuse what is not theirs. */
public final class Refusals {
    private Refusals() {}

    public static RangeException notLedHere() {
        return new RangeException(RangeException.Cause.MOVED, "not led here any more");
    }

    /**
     * Whether nothing was done for that cause, so that the sender may send it again. {@code CLOSED} is what a leader
     * that was deposed says of what it had not sealed.
     */
    static boolean isNotBegun(RangeException cause) {
        return cause.reason() == RangeException.Cause.MOVED || cause.reason() == RangeException.Cause.CLOSED;
    }
}
