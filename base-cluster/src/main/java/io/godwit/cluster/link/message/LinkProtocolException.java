package io.godwit.cluster.link.message;

/** The other end broke the protocol of links. Its peer is over. */
public final class LinkProtocolException extends Exception {
    private static final long serialVersionUID = 1;

    public LinkProtocolException(String message) {
        super(message, null, false, false); // no stack trace: the place in the code tells nothing
    }
}
