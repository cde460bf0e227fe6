package io.godwit.broker.sub;

import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.event.EventListener;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts the deliveries to the SubBrokers of a node, and raises events. Thread-safe. */
public final class SubReports {
    private final EventListener events;
    private final LongAdder delivered;
    private final LongAdder begun;
    private final LongAdder ended;
    private final LongAdder delayed;
    private final Map<DropReason, LongAdder> dropped = new EnumMap<>(DropReason.class);

    public SubReports(EventListener events, MeterRegistry meters) {
        this.events = events;
        this.delivered = counter(meters, "messages", "messages that SubBrokers have taken");
        this.begun = counter(meters, "begun", "times that this node began to serve a subscription of a SubBroker");
        this.ended = counter(meters, "ended", "times that it ceased to");
        this.delayed = counter(meters, "delayed", "batches that failed and are handed over again");
        for (DropReason reason : List.of(DropReason.EXPIRED, DropReason.SLOW_CONSUMER, DropReason.SESSION_ENDED)) {
            dropped.put(
                    reason,
                    counter(
                            meters,
                            "dropped",
                            "messages that a SubBroker does not get",
                            "reason",
                            reason.name().toLowerCase(Locale.ROOT)));
        }
    }

    private static LongAdder counter(MeterRegistry meters, String name, String description, String... tags) {
        LongAdder adder = new LongAdder();
        FunctionCounter.builder("godwit.plugins.sub." + name, adder, LongAdder::sum)
                .description(description)
                .tags(tags)
                .register(meters);
        return adder;
    }

    void delivered(int messages) {
        delivered.add(messages);
    }

    void began(String plugin, String subscription) {
        begun.increment();
        if (events.isListening(BrokerEvent.SubBrokerBegan.class)) {
            events.onEvent(new BrokerEvent.SubBrokerBegan(plugin, subscription));
        }
    }

    void ended(String plugin, String subscription, String cause) {
        ended.increment();
        if (events.isListening(BrokerEvent.SubBrokerEnded.class)) {
            events.onEvent(new BrokerEvent.SubBrokerEnded(plugin, subscription, cause));
        }
    }

    void delayed(String plugin, String subscription, String cause) {
        delayed.increment();
        if (events.isListening(BrokerEvent.SubBrokerDelayed.class)) {
            events.onEvent(new BrokerEvent.SubBrokerDelayed(plugin, subscription, cause));
        }
    }

    void dropped(TenantId tenant, ClientId receiver, String topic, DropReason reason) {
        LongAdder counter = dropped.get(reason);
        if (counter != null) {
            counter.increment();
        }
        if (events.isListening(BrokerEvent.MessageDropped.class)) {
            events.onEvent(new BrokerEvent.MessageDropped(tenant, receiver, topic, reason));
        }
    }
}
