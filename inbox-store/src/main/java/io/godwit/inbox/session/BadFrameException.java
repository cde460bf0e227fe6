package io.godwit.inbox.session;

/** A peer has broken the protocol. Its link is abandoned. */
final class BadFrameException extends Exception {
    private static final long serialVersionUID = 1L;

    BadFrameException(String detail) {
        super(detail, null, false, false);
    }
}
