package io.godwit.cluster.link;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One process of another node, as this node is linked to it. Thread-safe. Until the peer is over, each sent frame
 * arrives once, even if connections break meanwhile. If one send in a lane happens before another, its frame arrives
 * first: sends of one thread, or sends that a lock or a message orders. The only exception are frames sent with
 * different orders ({@link #send(Lane, byte[], Object, Confirmation)}).
 *
 * <p>A peer is over when a later process of the node is seen, when the node has left, when there was no connection for
 * the configured silence, when more than the bound of a lane waits for it, or when one side {@link #abandon}s it. It
 * does not come back: the next contact with the same process is another peer.
 */
public interface Peer {
    /** Frames larger than this may be passed by others if they are sent with an order. */
    int PASSABLE_BYTES = 64 << 10;

    /** The outcome of a frame. Called once, on a thread of the links; must hand over and return. */
    interface Confirmation {
        /** The peer's {@link LaneReceiver} has handled the frame. */
        void confirmed();

        /** The peer is over; the frame may or may not have arrived. */
        void lost();
    }

    String nodeId();

    /** Identifies one process of the node; a later process has a higher one. */
    long incarnation();

    /** Whether the peer is connected now. */
    boolean isConnected();

    /** The version of the content of frames, in all lanes: the highest that both nodes support. Does not change. */
    int version();

    /**
     * The largest frame that may be sent, in bytes: the smaller of what this node and the peer accept by configuration.
     * Does not change.
     */
    int maxFrameBytes();

    /**
     * Sends a frame. Never blocks. The caller must not change the array afterwards. If the peer is over already,
     * {@link Confirmation#lost} is called before this returns; no other callback is.
     *
     * @throws IllegalArgumentException if the frame is larger than {@link #maxFrameBytes}; then nothing is sent
     */
    void send(Lane lane, byte[] frame, Confirmation confirmation);

    /**
     * Sends a frame whose outcome does not matter. A frame for a peer that is over is dropped. Never blocks, and makes
     * no callback.
     *
     * @throws IllegalArgumentException if the frame is larger than {@link #maxFrameBytes}; then nothing is sent
     */
    void send(Lane lane, byte[] frame);

    /**
     * Sends a frame with an order. If it is larger than {@link #PASSABLE_BYTES} it goes in pieces, and frames of other
     * orders in the lane may pass it. Frames of the same order arrive in the order of the sends, whatever their sizes.
     * A frame with an order and one without also arrive in the order of the sends. The rest is as for the other two
     * methods.
     *
     * <p>To a peer of a release without support for orders, all frames are sent in the order of the sends.
     *
     * @param order compared by {@code equals}. It must be {@link Comparable} where clients choose its content, because
     *     orders are kept in a hash map. Kept until the frame is confirmed. Null for none
     * @param confirmation null if the outcome does not matter
     */
    void send(Lane lane, byte[] frame, @Nullable Object order, @Nullable Confirmation confirmation);

    /**
     * Sends a frame that consists of two arrays, as {@link #send(Lane, byte[], Object, Confirmation)} does: the sender
     * of a large payload need not copy it into the frame. The caller must change neither array afterwards.
     */
    default void send(
            Lane lane, byte[] head, byte[] tail, @Nullable Object order, @Nullable Confirmation confirmation) {
        byte[] frame = Arrays.copyOf(head, head.length + tail.length);
        System.arraycopy(tail, 0, frame, head.length, tail.length);
        send(lane, frame, order, confirmation);
    }

    /** Whether less than a window of bytes is unconfirmed in the lane. Senders that can wait do so while it is not. */
    boolean isWritable(Lane lane);

    /**
     * Whether the lane has room for a frame sent with an order. Frames above {@link #PASSABLE_BYTES} and smaller ones
     * have a window each, so that small frames go on beside large ones. There is room if less than a window of the
     * frame's own kind is unconfirmed. The other kind has a limit too: two windows of small frames, or a window and one
     * largest frame of large ones. A peer of a release without support for orders has one window for all frames.
     *
     * @param frameBytes approximate size of the frame; if the estimate is on the wrong side of {@link #PASSABLE_BYTES},
     *     the room of the other kind is checked
     */
    boolean isWritable(Lane lane, int frameBytes);

    /**
     * Ends the peer at both ends, because it does not keep to a protocol. Listeners are told later, on their own
     * thread.
     */
    void abandon(String why);
}
