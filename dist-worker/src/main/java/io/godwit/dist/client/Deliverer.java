package io.godwit.dist.client;

import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Takes deliveries to one kind of receiver: the frontend for {@link LiveReceiver}, the inbox store (through an adapter)
 * for {@link InboxReceiver}.
 */
public interface Deliverer {
    /** The result of {@link #deliver} for nearly every live delivery; shared to save allocations. */
    CompletableFuture<DistOutcome> DELIVERED = CompletableFuture.completedFuture(DistOutcome.DELIVERED);

    /**
     * Hands over one delivery. Deliveries of one publisher come in order, and the deliverer must keep that order per
     * receiver. Called on the publisher's thread, or on any thread when a shared group has chosen again; never blocks,
     * throws or returns null. Completes on any thread, never exceptionally, with DELIVERED, OVERLOADED or FAILED, or
     * with NO_MATCH when all of its sessions had ended (reported to {@link Delivery#strays}).
     */
    CompletableFuture<DistOutcome> deliver(Delivery delivery);

    /**
     * Asks which sessions of the matches already know the token of {@code delivery}; delivers nothing. Completes on any
     * thread with one value for each match, in order, or fails with {@link io.godwit.kv.client.RangeException}.
     * Receivers that do not remember tokens answer false.
     */
    default CompletableFuture<List<Boolean>> know(Delivery delivery) {
        return CompletableFuture.completedFuture(
                Collections.nCopies(delivery.matches().size(), false));
    }
}
