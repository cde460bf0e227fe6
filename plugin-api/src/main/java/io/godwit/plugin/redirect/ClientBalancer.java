package io.godwit.plugin.redirect;

import java.util.concurrent.CompletableFuture;

/**
 * Says for each client that connects whether this node serves it, or which server it is to use instead. Asked after the
 * client has proven who it is: nobody else learns the names of other servers.
 *
 * <p>This is for even load, not for security: whatever fails lets the client in. That is a call that throws, null, a
 * failed future, and no answer within {@code redirectConfig.timeoutMillis}, for which the client waits.
 *
 * <p>A client that is sent from one node to another and back is served by none. So an answer should send a client only
 * to a node that would let it in.
 *
 * <p>Called on threads of the plugin, several at a time; on event loops of the broker if the plugin says that it does
 * not block. Once for each CONNECT.
 */
public interface ClientBalancer extends AutoCloseable {
    /**
     * Where the client is to be.
     *
     * @param nodes as far as this node knows: figures of other nodes are about a second old. Costs nothing to look at
     * @return completed on any thread
     */
    CompletableFuture<Placement> place(ConnectingClient client, NodeLoads nodes);

    /** The broker stops; nothing is asked any more. */
    @Override
    default void close() {}
}
