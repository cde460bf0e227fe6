package io.godwit.kv.client;

/**
 * Why a range could not carry out a request. Has no stack trace, because the cause is the environment and not a bug.
 */
public final class RangeException extends Exception {
    private static final long serialVersionUID = 1L;

    /** The causes that a caller may distinguish. */
    public enum Cause {
        /** No leader could be reached before the deadline; a mutation may still be applied. */
        TIMEOUT,
        /** The leader refuses more work: too much is waiting for the disk. Nothing was written. */
        OVERLOADED,
        /**
         * Free disk is below the low-water mark. Nothing was written. Reads and mutations that relieve the disk go on.
         */
        DISK_FULL,
        /** The mutation is larger than the log accepts. Nothing was written, and a retry is useless. */
        TOO_LARGE,
        /** The store stopped after a fault (failed fsync, corruption). It writes nothing more until it is repaired. */
        STORE_FAILED,
        /**
         * The range was split, merged or handed over in an orderly way, and had answered everything that it had
         * accepted: ask again. Leaders are stopped with this cause; callers of {@link RangeClient} see it only if they
         * ask for an interval.
         */
        MOVED,
        /**
         * The leader's node, or the connection to it, was lost before the answer: the request may have been carried
         * out.
         */
        LOST,
        /** The store is closing. */
        CLOSED
    }

    private final Cause reason;
    private final String detail;

    public RangeException(Cause reason, String detail) {
        super(reason + ": " + detail, null, false, false);
        this.reason = reason;
        this.detail = detail;
    }

    public Cause reason() {
        return reason;
    }

    /** The message without the cause. */
    public String detail() {
        return detail;
    }
}
