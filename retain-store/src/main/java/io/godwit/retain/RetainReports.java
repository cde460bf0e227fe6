package io.godwit.retain;

import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.message.Message;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.LongAdder;

/** Counts and reports retained messages that this node has set or cleared. Thread-safe; never blocks. */
final class RetainReports {
    private final EventListener events;
    private final LongAdder set = new LongAdder();
    private final LongAdder cleared = new LongAdder();

    RetainReports(EventListener events, MeterRegistry meters) {
        this.events = events;
        FunctionCounter.builder("godwit.retain.set", set, LongAdder::doubleValue)
                .description("retained messages set for clients, wills and operators of this node")
                .register(meters);
        FunctionCounter.builder("godwit.retain.cleared", cleared, LongAdder::doubleValue)
                .description("messages without payload that cleared a retained one, or found none")
                .register(meters);
    }

    /** The store has retained {@code message}, or has cleared its topic if it has no payload. */
    void retained(TenantId tenant, Message message) {
        if (message.payload().length > 0) {
            set.increment();
            if (events.isListening(BrokerEvent.RetainedMessageSet.class)) {
                events.onEvent(new BrokerEvent.RetainedMessageSet(tenant, message.topic(), message.payload().length));
            }
        } else {
            cleared.increment();
            if (events.isListening(BrokerEvent.RetainedMessageCleared.class)) {
                events.onEvent(new BrokerEvent.RetainedMessageCleared(tenant, message.topic()));
            }
        }
    }
}
