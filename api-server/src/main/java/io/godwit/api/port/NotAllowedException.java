package io.godwit.api.port;

/** The broker does not allow this to the caller, whatever its role. The message says what is not allowed. */
public final class NotAllowedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public NotAllowedException(String message) {
        super(message);
    }
}
