package io.godwit.broker.redirect;

import io.godwit.mqtt.connect.ClientPlacing;
import io.godwit.plugin.redirect.ClientBalancer;
import io.godwit.plugin.redirect.ConnectingClient;
import io.godwit.plugin.redirect.NodeLoads;
import io.godwit.plugin.redirect.Placement;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Asks a balancer for the node of each client. Clients before MQTT 5.0 cannot be redirected: they are let in without
 * asking, or, if so configured, refused when the balancer wants them elsewhere. Thread-safe.
 */
public final class Placements implements ClientPlacing {
    private static final CompletableFuture<Placement> HERE = CompletableFuture.completedFuture(Placement.HERE);

    private final ClientBalancer balancer;
    private final boolean refusesOlder;
    private final Supplier<NodeLoads> loads;

    /** @param balancer answers within a bounded time */
    public Placements(ClientBalancer balancer, boolean refusesOlder, Supplier<NodeLoads> loads) {
        this.balancer = balancer;
        this.refusesOlder = refusesOlder;
        this.loads = loads;
    }

    @Override
    public CompletableFuture<Placement> place(ConnectingClient client) {
        return client.canBeTold() || refusesOlder ? balancer.place(client, loads.get()) : HERE;
    }
}
