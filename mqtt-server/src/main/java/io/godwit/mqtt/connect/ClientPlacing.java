package io.godwit.mqtt.connect;

import io.godwit.plugin.redirect.ConnectingClient;
import io.godwit.plugin.redirect.Placement;
import java.util.concurrent.CompletableFuture;

/** Decides where a client that may connect should be served. */
@FunctionalInterface
public interface ClientPlacing {
    /**
     * Called on any event loop; must not block.
     *
     * @return completes on any thread, within a bounded time; on failure the client is let in
     */
    CompletableFuture<Placement> place(ConnectingClient client);
}
