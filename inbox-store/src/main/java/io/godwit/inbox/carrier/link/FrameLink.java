package io.godwit.inbox.carrier.link;

/**
 * The sending side of one direction of a link between two nodes. Thread-safe. Both ends of the inbox protocol rely on:
 *
 * <ul>
 * <li><b>Delivery.</b> Until the link is lost, each frame arrives whole and once. After the loss, nothing that was sent
 *     arrives any more.
 * <li><b>Order.</b> If one send happens before another, its frame arrives first. That holds for sends of one thread,
 *     and for those of two threads that a lock or a message orders. Otherwise either may arrive first.
 * <li><b>Receiving.</b> One thread at a time calls the receiver, with frames and with the loss. Each of these calls
 *     happens before the next one. The loss is reported once, and is the last call.
 * <li><b>No call back.</b> No method of the link calls a receiver before it returns, neither at this end nor at the
 *     other. So callers may hold locks that the receiver takes, and may change their own state after the call.
 * <li><b>No exception.</b> No method throws: range executors call them, and an exception there stops a range.
 * </ul>
 */
public interface FrameLink {
    /**
     * Sends a frame. Does nothing once the link is lost. Never blocks. The link owns the array.
     *
     * @param frame at most {@link #maxFrameBytes} long. A larger one abandons the link, as {@link #abandon} does,
     *     because later frames must not arrive without it. Callers must keep to the limit.
     */
    void send(byte[] frame);

    /** The agreed version of the frames. Does not change. */
    int version();

    /** The largest frame in bytes. Does not change. */
    int maxFrameBytes();

    /** Whether there is room for frames that can wait. */
    default boolean isWritable() {
        return true;
    }

    /** The other end has broken the protocol: reports the loss of the link to both ends, later. */
    void abandon(String why);
}
