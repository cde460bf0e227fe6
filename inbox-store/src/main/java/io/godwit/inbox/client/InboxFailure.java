package io.godwit.inbox.client;

import io.godwit.kv.client.RangeException;
import java.util.concurrent.CompletionException;

/**
 * What the failure of a call to an attachment means to the connection, which does not know the ranges' own exceptions.
 */
public enum InboxFailure {
    /** The leader was replaced in good order; the call had no effect: to be repeated at the next one. */
    MOVED,
    /** The node of the leader was lost; the call may have had an effect. */
    LOST,
    /** The store has stopped. */
    STOPPED,
    /** Any other. */
    OTHER;

    public static InboxFailure of(Throwable failure) {
        Throwable cause = unwrapped(failure);
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
     * Of a call of an attachment that has ended with {@link InboxListener.Reason#LOST}: a leader that was deposed fails
     * what it has under way as one that stops does.
     */
    public static InboxFailure ofLost(Throwable failure) {
        Throwable cause = unwrapped(failure);
        boolean isEnd = cause instanceof RangeException e
                && (e.reason() == RangeException.Cause.TIMEOUT || e.reason() == RangeException.Cause.CLOSED);
        return isEnd ? LOST : of(failure);
    }

    private static Throwable unwrapped(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** What calls of an attachment that is over fail with. */
    public static Exception over() {
        return new RangeException(RangeException.Cause.CLOSED, "the attachment is over");
    }
}
