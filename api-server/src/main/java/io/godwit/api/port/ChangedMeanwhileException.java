package io.godwit.api.port;

/** What was to be replaced is not what the caller has seen. Nothing was changed. */
public final class ChangedMeanwhileException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ChangedMeanwhileException(String message) {
        super(message);
    }
}
