package io.godwit.inbox.session.port;

/** A peer has broken the protocol. Its link is abandoned. */
public final class BadFrameException extends Exception {
    private static final long serialVersionUID = 1L;

    public BadFrameException(String detail) {
        super(detail, null, false, false);
    }
}
