package io.godwit.broker.admin.action;

import io.godwit.broker.admin.rpc.AdminClient;
import io.godwit.broker.admin.rpc.AdminMethods;
import io.godwit.broker.admin.rpc.LimitedPauses;
import io.godwit.broker.admin.rpc.Messages;
import io.godwit.broker.admin.rpc.Messages.BalancerChange;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.plugin.balance.Liveness;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The balancers of a store, resting on every node while an operator's work does their job. Balancers that somebody
 * pauses stay paused afterwards, and balancers that rest for other work are left alone. After a kill -9 of this program
 * they rest for {@link LimitedPauses#REST}, so {@link #goOn} renews the rest from time to time.
 */
public final class RestingBalancers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RestingBalancers.class);
    private static final Duration RENEWAL = LimitedPauses.REST.dividedBy(5);
    private static final Duration MOST_TO_ASK = Duration.ofSeconds(10);

    private final AdminClient client;
    private final String store;
    /** The changes that end the rest. It is its own monitor: either of two threads may close this. */
    private final List<Messages.ChangeBalancer> ends = new ArrayList<>();

    /** When the rest was last requested. Confined to the working thread. */
    private long askedNanos;

    private final Thread shutdown = new Thread(this::end, "unrest-balancers");
    private final boolean endsWithJvm;
    private final LongSupplier nanoTime;

    RestingBalancers(AdminClient client, String store, boolean endsWithJvm, LongSupplier nanoTime) {
        this.client = client;
        this.store = store;
        this.endsWithJvm = endsWithJvm;
        this.nanoTime = nanoTime;
    }

    /** For a program of its own: its exit, such as by Ctrl-C, ends the rest too. */
    public static RestingBalancers untilExit(AdminClient client, String store) {
        return new RestingBalancers(client, store, true, System::nanoTime);
    }

    /** Only {@link #close} ends the rest. */
    public static RestingBalancers untilClosed(AdminClient client, String store) {
        return new RestingBalancers(client, store, false, System::nanoTime);
    }

    public void begin() throws AdminException {
        if (endsWithJvm) {
            Runtime.getRuntime().addShutdownHook(shutdown);
        }
        for (Messages.Node node : client.nodes().nodes()) {
            if (node.liveness() == Liveness.ALIVE) {
                rest(node.storeId());
            }
        }
        askedNanos = nanoTime.getAsLong();
    }

    /** To be called at each step of the work. Renews the rest when it is due. */
    public void goOn() {
        if (nanoTime.getAsLong() - askedNanos < RENEWAL.toNanos()) {
            return;
        }
        List<Messages.ChangeBalancer> rested;
        synchronized (ends) {
            rested = List.copyOf(ends);
        }
        AdminClient limited = client.within(MOST_TO_ASK); // a silent node must not hold up the work for long
        for (int i = 0; i < rested.size(); i++) {
            Messages.ChangeBalancer each = rested.get(i);
            try {
                limited.share(rested.size() - i)
                        .call(AdminMethods.CHANGE_BALANCER, change(each.node(), each.balancer(), BalancerChange.REST));
            } catch (AdminException e) {
                LOG.debug("rest not asked for again: its node has gone, or does not answer", e);
            }
        }
        askedNanos = nanoTime.getAsLong();
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
