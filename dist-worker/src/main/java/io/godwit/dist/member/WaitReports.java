package io.godwit.dist.member;

import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.event.NodeWait;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Supplier;

/** Counts the waits of the dist-worker for other nodes that run out, and tells of them. Thread-safe. */
public final class WaitReports {
    private final EventListener events;
    private final Counter confirmations;
    private final Counter routes;
    private final Counter proofs;

    public WaitReports(EventListener events, MeterRegistry meters) {
        this.events = events;
        confirmations = counter(meters, NodeWait.CONFIRMATION);
        routes = counter(meters, NodeWait.ROUTE);
        proofs = counter(meters, NodeWait.PROOF);
    }

    private static Counter counter(MeterRegistry meters, NodeWait wait) {
        return Counter.builder("godwit.waits.over")
                .description("waits for other nodes that ran out")
                .tag("wait", wait.name().toLowerCase(Locale.ROOT))
                .register(meters);
    }

    /** A member has not confirmed {@code what}. */
    public void notConfirmed(NodeLife member, String what, Duration limit) {
        ranOut(confirmations, NodeWait.CONFIRMATION, limit, () -> what + ", by " + member);
    }

    /**
     * The dist store has not taken routes, or this node has not applied them.
     *
     * @param whose the session, or the routes
     */
    public void notRouted(String whose, Duration limit, Throwable cause) {
        ranOut(routes, NodeWait.ROUTE, limit, () -> whose + ": " + cause.getMessage());
    }

    /** This node could not prove for so long that it serves: a group of acknowledgements is refused. */
    void notProven(NodeLife self, Duration limit, String lack) {
        ranOut(proofs, NodeWait.PROOF, limit, () -> self + " " + lack);
    }

    private void ranOut(Counter counter, NodeWait wait, Duration limit, Supplier<String> detail) {
        counter.increment();
        if (events.isListening(BrokerEvent.WaitRanOut.class)) {
            events.onEvent(new BrokerEvent.WaitRanOut(wait, limit, detail.get()));
        }
    }
}
