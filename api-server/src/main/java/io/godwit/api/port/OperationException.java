package io.godwit.api.port;

/** An operator's request failed or was not completed. The message is for the operator. */
public final class OperationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The kind of failure. */
    public enum Kind {
        /** The request makes no sense; nothing has changed. */
        INVALID,
        /** There is no such store, range, node or balancer. */
        UNKNOWN,
        /** The range has changed since the caller read it; nothing was done. */
        STALE,
        /** Not possible now, or not in this way; nothing has changed. */
        REFUSED,
        /** As many as allowed are under way; nothing was done. */
        BUSY,
        /** A required node did not answer; the operation may still be done later. */
        UNREACHABLE,
        /** It failed, and may have taken effect in part, or may take effect later. */
        FAILED
    }

    private final Kind kind;
    private final String field;

    public OperationException(Kind kind, String message) {
        this(kind, "", message);
    }

    /** @param field the parameter or body member that is wrong; empty for none */
    public OperationException(Kind kind, String field, String message) {
        super(message, null, false, false);
        this.kind = kind;
        this.field = field;
    }

    /** Name of the wrong parameter or body member; empty for none. */
    public String field() {
        return field;
    }

    public Kind kind() {
        return kind;
    }
}
