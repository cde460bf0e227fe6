package io.godwit.broker.admin;

import io.godwit.broker.admin.Messages.BalancerChange;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.plugin.balance.Liveness;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The balancers of a store, which rest on every node while an operator does their work. What somebody pauses or has
 * paused stays so afterwards; those that rest for somebody else are left to them. After a
 * kill -9 of this program they rest until their nodes stop, or {@code balancers --resume}.
 */
final class RestingBalancers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RestingBalancers.class);

    private final AdminClient client;
    private final String store;
    /** Both threads that may close this take it. */
    private final List<Messages.ChangeBalancer> ends = new ArrayList<>();

    private final Thread shutdown = new Thread(this::end, "unrest-balancers");
    private final boolean endsWithJvm;

    private RestingBalancers(AdminClient client, String store, boolean endsWithJvm) {
        this.client = client;
        this.store = store;
        this.endsWithJvm = endsWithJvm;
    }

    /** For a program of its own: its end, such as by Ctrl-C, ends the rest too. */
    static RestingBalancers untilExit(AdminClient client, String store) {
        return new RestingBalancers(client, store, true);
    }

    /** {@link #close} ends the rest, nothing else. */
    static RestingBalancers untilClosed(AdminClient client, String store) {
        return new RestingBalancers(client, store, false);
    }

    void begin() throws AdminException {
        if (endsWithJvm) {
            Runtime.getRuntime().addShutdownHook(shutdown);
        }
        for (Messages.Node node : client.nodes().nodes()) {
            if (node.liveness() == Liveness.ALIVE) {
                rest(node.storeId());
            }
        }
    }

    private void rest(String node) throws AdminException {
        Messages.Balancers all = client.call(AdminMethods.BALANCERS, new Messages.OfBalancers(store, node));
        for (Messages.Balancer balancer : all.balancers()) {
            if (!balancer.isResting()) {
                synchronized (ends) {
                    ends.add(change(node, balancer.name(), BalancerChange.UNREST));
                }
                client.call(AdminMethods.CHANGE_BALANCER, change(node, balancer.name(), BalancerChange.REST));
            }
        }
    }

    private Messages.ChangeBalancer change(String node, String balancer, BalancerChange change) {
        return new Messages.ChangeBalancer(store, node, balancer, change, Map.of(), 0);
    }

    private void end() {
        synchronized (ends) {
            for (Messages.ChangeBalancer each : ends) {
                try {
                    client.call(AdminMethods.CHANGE_BALANCER, each);
                } catch (AdminException e) {
                    LOG.debug("rest not ended: its node has gone, and begins with balancers that do not rest", e);
                }
            }
            ends.clear();
        }
    }

    @Override
    public void close() {
        end();
        if (!endsWithJvm) {
            return;
        }
        try {
            Runtime.getRuntime().removeShutdownHook(shutdown);
        } catch (IllegalStateException e) {
            LOG.debug("the shutdown runs already, and finds nothing left to do", e);
        }
    }
}
