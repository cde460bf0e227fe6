package io.godwit.dist.client;

import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Takes deliveries to one kind of receiver: the frontend for {@link LiveReceiver}, the inbox store (through an adapter)
 * for {@link InboxReceiver}.
 */
public interface Deliverer {
    /** {@link #deliver} of nearly every live delivery: allocation-free. */
    CompletableFuture<DistOutcome> DELIVERED = CompletableFuture.completedFuture(DistOutcome.DELIVERED);

    /**
     * Hands over one delivery; deliveries of one publisher are handed over in order and must stay so per receiver.
     * Called on the publisher's thread, or on any thread when a shared group chose again; never blocks, throws or
     * returns null. Completes on any thread with DELIVERED, OVERLOADED or FAILED, or with NO_MATCH when all of its
     * sessions had ended ({@link Delivery#strays} knows them), never exceptionally.
     */
    CompletableFuture<DistOutcome> deliver(Delivery delivery);

    /**
     * Which sessions of the matches know the token of {@code delivery} already; it delivers nothing. Completes on any
     * thread with one value for each match, in their order, or fails with {@link io.godwit.kv.client.RangeException}.
     * Receivers without a memory of tokens know none.
     */
    default CompletableFuture<List<Boolean>> know(Delivery delivery) {
        return CompletableFuture.completedFuture(
                Collections.nCopies(delivery.matches().size(), false));
    }
}
