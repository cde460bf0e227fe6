package io.godwit.dist.client;

import java.util.concurrent.CompletableFuture;

/**
 * Takes deliveries to one kind of receiver: the frontend for {@link LiveReceiver}, the inbox store (through an adapter) for
 * {@link InboxReceiver}.
 */
public interface Deliverer {
    /** {@link #deliver} of nearly every live delivery: allocation-free. */
    CompletableFuture<DistOutcome> DELIVERED = CompletableFuture.completedFuture(DistOutcome.DELIVERED);

    /**
     * Hands over one delivery; deliveries of one publisher are handed over in order and must stay so per receiver. Called on the publisher's
     * thread; never blocks, throws or returns null. Completes on any thread with DELIVERED, OVERLOADED or FAILED, never exceptionally.
     */
    CompletableFuture<DistOutcome> deliver(Delivery delivery);
}
