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
    private final String field;

    public OperationException(Kind kind, String message) {
        this(kind, "", message);
    }

    /** @param field of what was asked that is to blame; empty for none */
    public OperationException(Kind kind, String field, String message) {
        super(message, null, false, false);
        this.kind = kind;
        this.field = field;
    }

    /** Name of a parameter or of a member of the body; empty when it is none of them. */
    public String field() {
        return field;
    }

    public Kind kind() {
        return kind;
    }
}
