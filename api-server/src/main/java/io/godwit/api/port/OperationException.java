package io.godwit.api.port;

/** What an operator asked for was not done, or not to its end. The message is for the operator. */
public final class OperationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Why. */
    public enum Kind {
        /** What was asked for cannot be meant; nothing has changed. */
        INVALID,
        /** There is no such store, range, node or balancer. */
        UNKNOWN,
        /** The range has changed meanwhile; nothing was done. */
        STALE,
        /** Not now, or not so; nothing has changed. */
        REFUSED,
        /** As many as are allowed are under way; nothing was done. */
        BUSY,
        /** No answer of a node that is needed; it may be done later. */
        UNREACHABLE,
        /** It went wrong, and may have taken effect in part, or take effect later. */
        FAILED
    }

    private final Kind kind;

    public OperationException(Kind kind, String message) {
        super(message, null, false, false);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
