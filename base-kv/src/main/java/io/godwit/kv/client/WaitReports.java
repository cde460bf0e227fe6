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
 * Counts the waits for other nodes that run out, and tells of them. Every part of a node has one for the waits that are
 * its own; all count under one name, {@code godwit.waits.over}. Thread-safe.
 */
public final class WaitReports {
    private final EventListener events;
    /** Never changes after the constructor. */
    private final Map<NodeWait, Counter> over = new EnumMap<>(NodeWait.class);

    /** @param waits that may run out here; their counters are there from the beginning, at 0 */
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
     * @param wait one of those that the constructor was given
     * @param limit for how long it was waited
     * @param detail what was waited for, and whom; asked only if somebody listens
     */
    public void ranOut(NodeWait wait, Duration limit, Supplier<String> detail) {
        Objects.requireNonNull(over.get(wait), wait::name).increment();
        if (events.isListening(BrokerEvent.WaitRanOut.class)) {
            events.onEvent(new BrokerEvent.WaitRanOut(wait, limit, detail.get()));
        }
    }
}
