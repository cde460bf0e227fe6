package io.godwit.api.port;

/** There is no room for one more; the message says how many there may be. */
public final class LimitReachedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public LimitReachedException(String message) {
        super(message);
    }
}
