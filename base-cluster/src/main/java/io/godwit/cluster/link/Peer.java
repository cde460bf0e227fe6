package io.godwit.cluster.link;

/**
 * One life of another node's process, as this node is linked to it. Thread-safe. Until it is over, what is sent arrives
 * once, also when connections break meanwhile. Of two sends in one lane, the one that happened before the other arrives
 * before it. That holds for sends of one thread, and for those of two threads that a lock or a message orders.
 *
 * <p>It is over when another life of the node is seen, when the node has left, when nothing was heard of it for the
 * time that the links are configured with, when more than the bound of a lane waits for it, or when one side
 * {@link #abandon}s it. It does not come back: the next contact with the same process is another peer.
 */
public interface Peer {
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

    /** Whether less than a window of bytes waits to be confirmed in the lane. Senders that can wait, do. */
    boolean isWritable(Lane lane);

    /**
     * The peer does not keep to a protocol: it is over, at both ends. Listeners are told later, on their own thread.
     */
    void abandon(String why);
}
