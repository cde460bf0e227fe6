package io.godwit.plugin.sub;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Brings messages to another system. Each of its subscriptions has a queue in the cluster that outlives nodes, and one
 * node at a time takes batches out of it. Messages of QoS 1 and 2 are handed over at least once: again when the answer
 * did not come, after a change of nodes or a restart. Those of one publisher come in order. QoS 0 is handed over as to
 * a client that keeps its session: it may be lost.
 *
 * <p>Called on threads of the plugin; on a thread of the broker if the plugin says that it does not block.
 */
public interface SubBroker extends AutoCloseable {
    /**
     * Which messages it wants. Asked once, at the start; at most 100, each with a name of its own. All nodes must give
     * the same answer. A subscription keeps its queue as long as it has its name; filters may change with a restart.
     */
    List<SubBrokerSubscription> subscriptions();

    /**
     * Takes a batch of one subscription. The next batch of that subscription comes when this one has been answered.
     *
     * @return completed, on any thread, with null when the messages are safe: then they are taken out of the queue.
     *     When it fails, or does not complete within {@code subBrokerConfig.timeoutSeconds}, the batch comes again,
     *     later and later up to 30 seconds: so for a message that can never be delivered it completes all the same
     */
    CompletableFuture<Void> deliver(SubBrokerBatch batch);

    /** The broker stops; nothing is handed over any more. */
    @Override
    default void close() {}
}
