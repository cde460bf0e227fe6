package io.godwit.api.port;

/** The broker lets nobody do that, whatever the role; the message says what. */
public final class NotAllowedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public NotAllowedException(String message) {
        super(message);
    }
}
