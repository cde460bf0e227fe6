package io.godwit.kv.client;

import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.event.NodeWait;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Counts and reports waits for other nodes that run out. Every part of a node has its own object; all count under one
 * name, {@code godwit.waits.over}. Thread-safe.
 */
public final class WaitReports {
    private final EventListener events;
    /** Not changed after the constructor. */
    private final Map<NodeWait, Counter> over = new EnumMap<>(NodeWait.class);

    /** @param waits the kinds of waits that may run out here; their counters exist from the beginning, at 0 */
    public WaitReports(EventListener events, MeterRegistry meters, NodeWait... waits) {
        this.events = events;
        for (NodeWait wait : waits) {
            over.put(
                    wait,
                    Counter.builder("godwit.waits.over")
                            .description("waits for other nodes that ran out")
                            .tag("wait", wait.name().toLowerCase(Locale.ROOT))
                            .register(meters));
        }
    }

    /**
     * A wait has run out.
     *
     * @param wait one of those given to the constructor
     * @param limit how long the wait lasted
     * @param detail what was waited for, and which node; evaluated only if somebody listens
     */
    public void ranOut(NodeWait wait, Duration limit, Supplier<String> detail) {
        Objects.requireNonNull(over.get(wait), wait::name).increment();
        if (events.isListening(BrokerEvent.WaitRanOut.class)) {
            events.onEvent(new BrokerEvent.WaitRanOut(wait, limit, detail.get()));
        }
    }
}
