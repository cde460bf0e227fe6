package io.godwit.inbox.client;

import io.godwit.common.failure.Failures;
import io.godwit.kv.client.RangeException;

/** The meaning of a failed call to an attachment, for the connection, which does not know the exceptions of ranges. */
public enum InboxFailure {
    /** The leader changed in an orderly way; the call had no effect: repeat it at the next leader. */
    MOVED,
    /** The node of the leader was lost; the call may have had an effect. */
    LOST,
    /** The store has stopped. */
    STOPPED,
    /** Any other. */
    OTHER;

    public static InboxFailure of(Throwable failure) {
        Throwable cause = Failures.cause(failure);
        if (!(cause instanceof RangeException e)) {
            return OTHER;
        }
        return switch (e.reason()) {
            case MOVED -> MOVED;
            case LOST -> LOST;
            case STORE_FAILED -> STOPPED;
            case TIMEOUT, OVERLOADED, DISK_FULL, TOO_LARGE, CLOSED -> OTHER;
        };
    }

    /**
     * For a call of an attachment that ended with {@link InboxListener.Reason#LOST}: a deposed leader fails its pending
     * calls in the same way as a leader that stops.
     */
    public static InboxFailure ofLost(Throwable failure) {
        Throwable cause = Failures.cause(failure);
        boolean isEnd = cause instanceof RangeException e
                && (e.reason() == RangeException.Cause.TIMEOUT || e.reason() == RangeException.Cause.CLOSED);
        return isEnd ? LOST : of(failure);
    }

    /** The failure of calls after the end of their attachment. */
    public static Exception over() {
        return new RangeException(RangeException.Cause.CLOSED, "the attachment is over");
    }
}
