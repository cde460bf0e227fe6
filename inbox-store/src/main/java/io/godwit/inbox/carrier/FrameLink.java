package io.godwit.inbox.carrier;

/**
 * One direction of a link between two nodes, and its end. Thread-safe. What both ends of the inbox protocol rely on:
 *
 * <ul>
 *   <li><b>Delivery.</b> Until the link is lost, each frame arrives whole and once. Once it is lost, nothing that was
 *       sent arrives any more.
 *   <li><b>Order.</b> Of two sends, the one that happened before the other arrives before it. That holds for sends of
 *       one thread, and for those of two threads that a lock or a message orders. Of two sends that nothing orders,
 *       either may arrive first.
 *   <li><b>Receiving.</b> Frames are received and the loss is told by one thread at a time. Each of these calls happens
 *       before the next one. The loss is told once, and is the last call.
 *   <li><b>No call back.</b> No method of the link receives a frame or tells the loss before it returns, neither at
 *       this end nor at the other. So callers may hold locks that the receiver takes, and may change their own state
 *       behind the call.
 *   <li><b>No exception.</b> No method throws: range executors call them, and an exception there stops a range.
 * </ul>
 */
public interface FrameLink {
    /**
     * Sends a frame. Does nothing once the link is lost. Never blocks. The array is given away.
     *
     * @param frame of at most {@link #maxFrameBytes}. A larger one gives the link up, as {@link #abandon} does: what
     *     is behind it must not arrive without it. So who makes frames keeps to the limit.
     */
    void send(byte[] frame);

    /** The version of what frames say, which both nodes speak. Does not change. */
    int version();

    /** The largest frame in bytes. Does not change. */
    int maxFrameBytes();

    /** Whether there is room for frames that can wait. */
    default boolean isWritable() {
        return true;
    }

    /** The other end does not keep to the protocol: both ends are told that the link is lost, later. */
    void abandon(String why);
}
