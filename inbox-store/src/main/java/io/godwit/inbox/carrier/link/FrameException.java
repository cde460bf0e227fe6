package io.godwit.inbox.carrier.link;

/** A frame that this version does not understand, or that the protocol does not allow. */
public final class FrameException extends Exception {
    private static final long serialVersionUID = 1L;

    public FrameException(String detail) {
        super(detail, null, false, false);
    }

    FrameException(String detail, Throwable cause) {
        super(detail, cause);
    }
}
