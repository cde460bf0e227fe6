package io.godwit.cluster.link;

import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;

/** Receives the frames of one lane, from all peers. */
@FunctionalInterface
public interface LaneReceiver {
    /** Returned when the next frame may come at once. */
    CompletableFuture<?> READY = CompletableFuture.completedFuture(null);

    /**
     * Handles a frame. Called by one thread at a time for each peer, in order. Must not block. When it returns, the
     * frame is confirmed: its effect is in force, or it was handed over to a component that keeps the order. An
     * exception ends the peer.
     */
    void receive(Peer from, byte[] frame);

    /**
     * Handles a frame and returns a future; the peer's next frame of this lane comes after that future has completed,
     * with or without a failure, on any thread. Until then frames pile up at the peer, where the lane stops being
     * {@link Peer#isWritable}. Other lanes and peers go on.
     */
    default CompletableFuture<?> take(Peer from, byte[] frame) {
        receive(from, frame);
        return READY;
    }

    /** A receiver that only implements {@link #take}. */
    static LaneReceiver paced(BiFunction<Peer, byte[], CompletableFuture<?>> receiver) {
        return new LaneReceiver() {
            @Override
            public void receive(Peer from, byte[] frame) {
                take(from, frame);
            }

            @Override
            public CompletableFuture<?> take(Peer from, byte[] frame) {
                return receiver.apply(from, frame);
            }
        };
    }
}
