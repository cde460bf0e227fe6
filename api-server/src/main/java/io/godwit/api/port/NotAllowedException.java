package io.godwit.api.port;

/** The broker allows this to nobody, whatever the role; the message names the operation. */
public final class NotAllowedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public NotAllowedException(String message) {
        super(message);
    }
}
