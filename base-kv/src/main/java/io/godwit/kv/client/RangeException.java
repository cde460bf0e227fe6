package io.godwit.kv.client;

/** Why a range could not do what it was asked. No stack trace: these are outcomes of the environment, not bugs. */
public final class RangeException extends Exception {
    private static final long serialVersionUID = 1L;

    /** The causes a caller may tell apart. */
    public enum Cause {
        /** No leader could be reached before the deadline; a mutation may still be applied. */
        TIMEOUT,
        /** The leader takes no more: too much is waiting for the disk. Nothing was written. */
        OVERLOADED,
        /**
         * Free disk is below the low-water mark. Nothing was written; reads go on, and so does what relieves the disk.
         */
        DISK_FULL,
        /**
         * The mutation is larger than an entry of the log may be. Nothing was written, and asking again is of no use.
         */
        TOO_LARGE,
        /**
         * The store stopped after a fault (failed fsync, corruption). Nothing will be written until it was repaired.
         */
        STORE_FAILED,
        /**
         * The range was split, merged or handed over in good order: all that it had accepted was answered before. Ask
         * again. Leaders are stopped with it; of a {@link RangeClient}'s callers only those see it that ask for an
         * interval.
         */
        MOVED,
        /**
         * The node of the leader, or the connection to it, was lost before it answered: it may have been carried out.
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

    /** What the message says beside the cause. */
    public String detail() {
        return detail;
    }
}
