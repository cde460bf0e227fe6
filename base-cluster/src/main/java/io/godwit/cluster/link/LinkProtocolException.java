package io.godwit.cluster.link;

/** The other end does not keep to the protocol of links: its peer is over. */
final class LinkProtocolException extends Exception {
    private static final long serialVersionUID = 1;

    LinkProtocolException(String message) {
        super(message, null, false, false); // where it was found tells nothing
    }
}
