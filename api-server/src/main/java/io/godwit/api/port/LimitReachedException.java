package io.godwit.api.port;

/** A limit on the number of entries is reached; the message names the limit. */
public final class LimitReachedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public LimitReachedException(String message) {
        super(message);
    }
}
