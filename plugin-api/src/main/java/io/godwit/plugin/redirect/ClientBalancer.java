package io.godwit.plugin.redirect;

import java.util.concurrent.CompletableFuture;

/**
 * Decides for each client that connects whether this node serves it, or which server it should use instead. It is asked
 * after authentication, so that nobody else learns the names of other servers.
 *
 * <p>Two nodes that redirect a client to each other leave it without service. So redirect a client only to a node that
 * would accept it.
 *
 * <p><b>Thread:</b> threads of the plugin, several at a time; or, if the factory says that it does not block
 * ({@link io.godwit.plugin.context.Plugin#isNonBlocking}), event loops.
 *
 * <p><b>Cost:</b> a call for each CONNECT. The client waits for the answer, at most
 * {@code redirectConfig.timeoutMillis}.
 *
 * <p><b>Failure:</b> the client is let in, since a balancer is for load and no security measure. A failure is a call
 * that throws, null, a failed future, or no answer within that time; also a call that the broker does not make, because
 * the balancer did not answer in time before.
 */
public interface ClientBalancer extends AutoCloseable {
    /**
     * Where the client should connect.
     *
     * @param nodes as this node knows them: values of other nodes are about a second old. Reading them costs nothing
     * @return completed on any thread
     */
    CompletableFuture<Placement> place(ConnectingClient client, NodeLoads nodes);

    /** The broker stops; no more calls come. */
    @Override
    default void close() {}
}
