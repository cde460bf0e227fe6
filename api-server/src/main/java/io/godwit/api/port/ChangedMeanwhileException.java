package io.godwit.api.port;

/** The value to be replaced has changed since the caller read it. Nothing was changed. */
public final class ChangedMeanwhileException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ChangedMeanwhileException(String message) {
        super(message);
    }
}
