package io.godwit.broker.redirect;

import io.godwit.plugin.redirect.ClientBalancer;
import io.godwit.plugin.redirect.ConnectingClient;
import io.godwit.plugin.redirect.NodeLoad;
import io.godwit.plugin.redirect.NodeLoads;
import io.godwit.plugin.redirect.Placement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.DoubleSupplier;

/**
 * Redirects clients while this node has more connections than a minimum and than the mean of all nodes by a given
 * percentage. Clients are sent to nodes below the mean that have a server reference, with a probability proportional to
 * the distance from the mean. So a target does not send them on, except after a change within the last second; and
 * clients that come within that second are spread. Thread-safe.
 */
public final class ByConnections implements ClientBalancer {
    public static final String NAME = "by-connections";

    private static final CompletableFuture<Placement> HERE = CompletableFuture.completedFuture(Placement.HERE);

    private final int abovePercent;
    private final long leastConnections;
    private final DoubleSupplier chance;

    /** @param chance from 0 to below 1; called on any thread */
    public ByConnections(int abovePercent, long leastConnections, DoubleSupplier chance) {
        this.abovePercent = abovePercent;
        this.leastConnections = leastConnections;
        this.chance = chance;
    }

    @Override
    public CompletableFuture<Placement> place(ConnectingClient client, NodeLoads nodes) {
        long own = nodes.self().connections();
        if (own < leastConnections || nodes.others().isEmpty()) {
            return HERE;
        }
        double sum = own;
        for (NodeLoad other : nodes.others()) {
            sum += other.connections();
        }
        double mean = sum / (nodes.others().size() + 1);
        return own <= mean * (1 + abovePercent / 100.0) ? HERE : elsewhere(nodes.others(), mean);
    }

    private CompletableFuture<Placement> elsewhere(List<NodeLoad> others, double mean) {
        double room = 0;
        for (NodeLoad other : others) {
            room += roomOf(other, mean);
        }
        double left = chance.getAsDouble() * room;
        for (NodeLoad other : others) {
            double its = roomOf(other, mean);
            if (its > 0 && left < its) {
                return CompletableFuture.completedFuture(new Placement.UseAnother(other.serverReference()));
            }
            left -= its;
        }
        return HERE;
    }

    private static double roomOf(NodeLoad node, double mean) {
        return node.serverReference().isEmpty() ? 0 : Math.max(0, mean - node.connections());
    }
}
