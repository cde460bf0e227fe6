package io.godwit.inbox.carrier;

/**
 * One direction of a link between two nodes, and its end. What is sent arrives whole, once, and in the order of the
 * calls of each thread, until the link is lost. Thread-safe; never blocks.
 */
public interface FrameLink {
    /** Sends a frame; does nothing once the link is lost. The array is given away. */
    void send(byte[] frame);

    /** Whether there is room for frames that can wait. */
    default boolean isWritable() {
        return true;
    }

    /** The other end does not keep to the protocol: both ends are told that the link is lost. */
    void abandon(String why);
}
