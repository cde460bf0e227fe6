package io.godwit.broker.plugin.guard;

import io.godwit.broker.plugin.instance.HostedPlugin;
import io.godwit.plugin.redirect.ClientBalancer;
import io.godwit.plugin.redirect.ConnectingClient;
import io.godwit.plugin.redirect.NodeLoads;
import io.godwit.plugin.redirect.Placement;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client balancer of a plugin, behind {@link GuardedCalls}. A missing answer is a failed future, which lets the
 * client in. Thread-safe.
 */
final class GuardedClientBalancer implements ClientBalancer {
    private static final Logger LOG = LoggerFactory.getLogger(GuardedClientBalancer.class);

    private final ClientBalancer balancer;
    private final HostedPlugin plugin;
    private final GuardedCalls calls;

    GuardedClientBalancer(ClientBalancer balancer, HostedPlugin plugin, GuardedCalls calls) {
        this.balancer = balancer;
        this.plugin = plugin;
        this.calls = calls;
    }

    @Override
    public CompletableFuture<Placement> place(ConnectingClient client, NodeLoads nodes) {
        return calls.ask("place", plugin.calls(), () -> balancer.place(client, nodes));
    }

    /** Blocks for a limited time. */
    @Override
    public void close() {
        try {
            plugin.bounded("close", plugin.limits().stop(), () -> {
                balancer.close();
                return "";
            });
        } catch (IOException e) {
            LOG.warn("client balancer not closed cleanly plugin={}", plugin.name(), e);
        }
    }
}
