package io.godwit.plugin.redirect;

import java.util.concurrent.CompletableFuture;

/**
 * Decides for each client that connects whether this node serves it, or which server it should use instead. Called
 * after authentication, so that nobody else learns the names of other servers.
 *
 * <p>It balances load and is no security measure: on every failure the client is let in. A failure is a call that
 * throws, null, a failed future, or no answer within {@code redirectConfig.timeoutMillis}; the client waits for that
 * time.
 *
 * <p>Two nodes that redirect a client to each other leave it without service. So redirect a client only to a node that
 * would accept it.
 *
 * <p>Called once for each CONNECT, on threads of the plugin, several at a time; on event loops of the broker if the
 * plugin says that it does not block.
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
