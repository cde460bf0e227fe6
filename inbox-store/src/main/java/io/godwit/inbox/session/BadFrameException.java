package io.godwit.inbox.session;

/** A peer says what no peer may. It is over then. */
final class BadFrameException extends Exception {
    private static final long serialVersionUID = 1L;

    BadFrameException(String detail) {
        super(detail, null, false, false);
    }
}
