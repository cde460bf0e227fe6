package io.godwit.mqtt.connect;

import io.godwit.plugin.redirect.ConnectingClient;
import io.godwit.plugin.redirect.Placement;
import java.util.concurrent.CompletableFuture;

/** Says where a client that may connect is to be. */
@FunctionalInterface
public interface ClientPlacing {
    /**
     * Any event loop, which it does not block.
     *
     * @return completes on any thread, within a bounded time; a failure lets the client in
     */
    CompletableFuture<Placement> place(ConnectingClient client);
}
