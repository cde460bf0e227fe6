package io.godwit.dist.peer.link;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.LongAdder;

/** Counters for messages between nodes. */
public final class PeerCounters {
    public final LongAdder sent = new LongAdder();
    public final LongAdder received = new LongAdder();
    public final LongAdder dropped = new LongAdder();
    public final LongAdder tooLarge = new LongAdder();
    public final LongAdder lost = new LongAdder();
    public final LongAdder declined = new LongAdder();
    public final LongAdder refused = new LongAdder();
    public final LongAdder filtersRefused = new LongAdder();

    public PeerCounters(MeterRegistry meters) {
        register(meters, "godwit.dist.peer.sent", "messages handed to links, once for each node", sent);
        register(meters, "godwit.dist.peer.received", "messages that other nodes sent for sessions here", received);
        register(meters, "godwit.dist.peer.dropped", "messages of QoS 0 dropped at a full link", dropped);
        register(
                meters,
                "godwit.dist.peer.too.large",
                "messages that were larger than the node of their receivers accepts",
                tooLarge);
        register(meters, "godwit.dist.peer.lost", "messages whose node was over before it confirmed them", lost);
        register(
                meters,
                "godwit.dist.peer.refused",
                "messages of QoS 1 and 2 that waited too long, or found no room, at a full link",
                refused);
        register(
                meters,
                "godwit.dist.peer.filters.refused",
                "filters of live sessions that other nodes could not be told of for want of room",
                filtersRefused);
        register(
                meters,
                "godwit.dist.peer.declined",
                "messages of other nodes for a shared group that has no live member here any more",
                declined);
    }

    private static void register(MeterRegistry meters, String name, String description, LongAdder count) {
        FunctionCounter.builder(name, count, LongAdder::doubleValue)
                .description(description)
                .register(meters);
    }
}
