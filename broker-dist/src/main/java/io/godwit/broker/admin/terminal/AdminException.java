package io.godwit.broker.admin.terminal;

/** A command did not do what it was asked. The message is for the operator. */
public final class AdminException extends Exception {
    /** What scripts go by: the exit code of the command. 0 is done. */
    public enum Kind {
        /** What was asked for cannot be meant. */
        USAGE(2),
        /** It went wrong; it may have taken effect in part, or take effect later. */
        FAILED(1),
        /** No node answered, or none that lets this operator in. */
        UNREACHABLE(3),
        /** Not now, or not so: nothing was changed. */
        REFUSED(4),
        /** The range has changed meanwhile: nothing was done, look again. */
        STALE(5),
        /** There is no such store, range, node, client or message. */
        UNKNOWN(6),
        /** A backup, or a data directory, that is not what it has to be. */
        DAMAGED(7),
        /** It is done, but not all of it could be. */
        INCOMPLETE(8);

        private final int exitCode;

        Kind(int exitCode) {
            this.exitCode = exitCode;
        }

        public int exitCode() {
            return exitCode;
        }
    }

    private final Kind kind;

    public AdminException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public AdminException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
