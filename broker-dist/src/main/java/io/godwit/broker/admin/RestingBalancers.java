package io.godwit.broker.admin;

import io.godwit.broker.admin.Messages.BalancerChange;
import io.godwit.plugin.balance.Liveness;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The balancers of a store, paused on every node while an operator does their work, and resumed afterwards, but for
 * those that were paused before. The JVM's shutdown resumes them too. After a kill -9 of this program they rest until
 * their nodes stop, or {@code balancers --resume}.
 */
final class RestingBalancers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RestingBalancers.class);

    private final AdminClient client;
    private final String store;
    /** Both threads that may close this take it. */
    private final List<Messages.ChangeBalancer> resumes = new ArrayList<>();

    private final Thread shutdown = new Thread(this::resume, "resume-balancers");

    RestingBalancers(AdminClient client, String store) {
        this.client = client;
        this.store = store;
    }

    void begin() throws AdminException {
        Runtime.getRuntime().addShutdownHook(shutdown);
        for (Messages.Node node : client.nodes().nodes()) {
            if (node.liveness() == Liveness.ALIVE) {
                pause(node.storeId());
            }
        }
    }

    private void pause(String node) throws AdminException {
        Messages.Balancers all = client.call(AdminMethods.BALANCERS, new Messages.OfBalancers(store, node));
        for (Messages.Balancer balancer : all.balancers()) {
            if (!balancer.isPaused()) {
                synchronized (resumes) {
                    resumes.add(change(node, balancer.name(), BalancerChange.RESUME));
                }
                client.call(AdminMethods.CHANGE_BALANCER, change(node, balancer.name(), BalancerChange.REST));
            }
        }
    }

    private Messages.ChangeBalancer change(String node, String balancer, BalancerChange change) {
        return new Messages.ChangeBalancer(store, node, balancer, change, Map.of());
    }

    private void resume() {
        synchronized (resumes) {
            for (Messages.ChangeBalancer each : resumes) {
                try {
                    client.call(AdminMethods.CHANGE_BALANCER, each);
                } catch (AdminException e) {
                    LOG.debug("not resumed: its node has gone, and begins with balancers that are asked", e);
                }
            }
            resumes.clear();
        }
    }

    @Override
    public void close() {
        resume();
        try {
            Runtime.getRuntime().removeShutdownHook(shutdown);
        } catch (IllegalStateException e) {
            LOG.debug("the shutdown runs already, and finds nothing left to do", e);
        }
    }
}
