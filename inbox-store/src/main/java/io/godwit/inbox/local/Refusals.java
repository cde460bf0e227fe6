package io.godwit.inbox.local;

import io.godwit.kv.client.RangeException;

/** Refusals of commands by the leaders of a process. */
public final class Refusals {
    private Refusals() {}

    public static RangeException notLedHere() {
        return new RangeException(RangeException.Cause.MOVED, "not led here any more");
    }

    /**
     * Whether nothing was done, so that the sender may repeat the command. A deposed leader uses {@code CLOSED} for
     * commands that it had not sealed into a batch.
     */
    static boolean isNotBegun(RangeException cause) {
        return cause.reason() == RangeException.Cause.MOVED || cause.reason() == RangeException.Cause.CLOSED;
    }
}
