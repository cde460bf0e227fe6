package io.godwit.cluster.link;

import org.jspecify.annotations.Nullable;

/**
 * One life of another node's process, as this node is linked to it. Thread-safe. Until it is over, what is sent arrives
 * once, also when connections break meanwhile. Of two sends in one lane, the one that happened before the other arrives
 * before it. That holds for sends of one thread, and for those of two threads that a lock or a message orders. The one
 * exception are frames that are sent with different orders ({@link #send(Lane, byte[], Object, Confirmation)}).
 *
 * <p>It is over when another life of the node is seen, when the node has left, when nothing was heard of it for the
 * time that the links are configured with, when more than the bound of a lane waits for it, or when one side
 * {@link #abandon}s it. It does not come back: the next contact with the same process is another peer.
 */
public interface Peer {
    /** Larger frames may be passed by others, if they are sent with an order. */
    int PASSABLE_BYTES = LinkMessage.BATCH_BYTES;

    /** What became of a frame. Called once, on a thread of the links; must hand over and return. */
    interface Confirmation {
        /** The peer's {@link LaneReceiver} has returned from it. */
        void confirmed();

        /** The peer is over: whether the frame arrived is not known. */
        void lost();
    }

    String nodeId();

    /** Tells one life of the node from the next, which has a higher one. */
    long incarnation();

    /** Whether there is a connection now. */
    boolean isConnected();

    /** The version of what frames say, in all lanes: the highest that both nodes speak. Does not change. */
    int version();

    /**
     * The largest frame that is sent, in bytes: what this node and the peer both accept, each by its configuration.
     * Does not change.
     */
    int maxFrameBytes();

    /**
     * Sends a frame. Never blocks. The array is given away. When the peer is over already, {@link Confirmation#lost} is
     * called before the return. Nothing else is called before it.
     *
     * @throws IllegalArgumentException if the frame is larger than {@link #maxFrameBytes}; nothing is sent then
     */
    void send(Lane lane, byte[] frame, Confirmation confirmation);

    /**
     * Sends a frame whose fate does not matter. Nothing is sent to a peer that is over. Never blocks, and calls nobody
     * before it returns.
     *
     * @throws IllegalArgumentException if the frame is larger than {@link #maxFrameBytes}; nothing is sent then
     */
    void send(Lane lane, byte[] frame);

    /**
     * Sends a frame that frames of other orders of the lane may pass, when it is so large that it goes in pieces: above
     * {@link #PASSABLE_BYTES}. Frames of the same order arrive as they were sent, whatever their sizes, and so do a
     * frame with an order and one without. Otherwise as the other two.
     *
     * <p>A peer of a release that does not know of orders is sent all frames in the order of the sends.
     *
     * @param order orders are told apart by {@code equals}. What clients choose in it is {@link Comparable}, since
     *     orders are kept in a hash map. It is held until the frame is confirmed. Null for none
     * @param confirmation null when its fate does not matter
     */
    void send(Lane lane, byte[] frame, @Nullable Object order, @Nullable Confirmation confirmation);

    /** Whether less than a window of bytes waits to be confirmed in the lane. Senders that can wait, do. */
    boolean isWritable(Lane lane);

    /**
     * Whether the lane has room for a frame that is sent with an order. Those above {@link #PASSABLE_BYTES} have a
     * window of their own, so that small ones go on beside them: for either, less than a window of its kind waits to be
     * confirmed, and of the other kind no more than senders make wait that look here. A peer of a release that does not
     * know of orders has one window for all.
     *
     * @param frameBytes how large it is, about: where that is on the wrong side of the limit, the other kind's room is
     *     what holds the sender back
     */
    boolean isWritable(Lane lane, int frameBytes);

    /**
     * The peer does not keep to a protocol: it is over, at both ends. Listeners are told later, on their own thread.
     */
    void abandon(String why);
}
