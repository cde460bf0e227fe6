package io.godwit.cluster.link;

import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;

/** Takes the frames of one lane, of all peers. */
@FunctionalInterface
public interface LaneReceiver {
    /** The next frame may come at once. */
    CompletableFuture<?> READY = CompletableFuture.completedFuture(null);

    /**
     * Called by one thread at a time for each peer, in order. When it returns the frame is confirmed: what it stands
     * for is in force, or handed over to whoever takes it in order. Must not block. What it throws ends the peer.
     */
    void receive(Peer from, byte[] frame);

    /**
     * Receives the frame, and says when the peer's next one of this lane may come: once what is returned is complete,
     * in whichever way, on any thread. Meanwhile the lane fills at the peer, which is not {@link Peer#isWritable} there
     * any more. Other lanes and peers go on.
     */
    default CompletableFuture<?> take(Peer from, byte[] frame) {
        receive(from, frame);
        return READY;
    }

    /** One that says after each frame when the next one may come, as {@link #take} does. */
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
