package io.godwit.broker.admin.terminal;

/** A command has failed. The message is for the operator. */
public final class AdminException extends Exception {
    /** The kind of the failure, with the exit code of the command for scripts; 0 means success. */
    public enum Kind {
        /** The request makes no sense. */
        USAGE(2),
        /** It has failed; it may have taken effect in part, or take effect later. */
        FAILED(1),
        /** No node answered, or none lets this operator in. */
        UNREACHABLE(3),
        /** It is not possible now or in this form; nothing was changed. */
        REFUSED(4),
        /** The range has changed meanwhile; nothing was done, and the operator should look again. */
        STALE(5),
        /** There is no such store, range, node, client or message. */
        UNKNOWN(6),
        /** A backup or a data directory is damaged. */
        DAMAGED(7),
        /** It was done in part, since not all of it is possible. */
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
