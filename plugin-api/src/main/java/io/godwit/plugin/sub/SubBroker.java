package io.godwit.plugin.sub;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Brings messages to another system. Each of its subscriptions has a queue in the cluster that outlives nodes, and one
 * node at a time delivers batches from it. Messages of QoS 1 and 2 are delivered at least once: again after a missing
 * answer, a change of nodes or a restart. Messages of one publisher come in order. QoS 0 is treated as for a client
 * with a stored session: it may be lost.
 *
 * <p><b>Thread:</b> threads of the plugin; or, if the factory says that it does not block
 * ({@link io.godwit.plugin.context.Plugin#isNonBlocking}), the thread that all SubBrokers of the broker share.
 *
 * <p><b>Cost:</b> a call for each batch, one batch of a subscription at a time. Publishers do not wait for it: their
 * messages wait in the queue, within {@code sessionConfig.maxQueuedMessages}, beyond which messages are dropped.
 * A publisher of QoS 1 or 2 waits until its message is stored there, as for a client with a session.
 *
 * <p><b>Failure:</b> if a call throws, yields null, fails, or is not answered within
 * {@code subBrokerConfig.timeoutSeconds}, the batch comes again, after growing delays of up to 30 seconds. A
 * {@code SubBrokerDelayed} is raised. No client notices it while the queue has room.
 */
public interface SubBroker extends AutoCloseable {
    /**
     * The subscriptions of this SubBroker. Called once, at the start; at most 100, with different names. All nodes must
     * give the same answer. A subscription keeps its queue as long as its name stays the same; filters may change with
     * a restart.
     */
    List<SubBrokerSubscription> subscriptions();

    /**
     * Takes a batch of one subscription. The next batch of that subscription comes after the answer to this one.
     *
     * @return completed, on any thread, with null when the messages are safe: then they leave the queue. If it
     *     fails, or does not complete within {@code subBrokerConfig.timeoutSeconds}, the batch comes again, after
     *     growing delays of up to 30 seconds. So complete normally even for a message that can never be delivered
     */
    CompletableFuture<Void> deliver(SubBrokerBatch batch);

    /** The broker stops; no more batches come. */
    @Override
    default void close() {}
}
