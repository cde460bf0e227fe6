package io.godwit.inbox.queue;

import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.event.EventListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Counts every message that a queue gives up, by reason, and raises its event. Thread-safe. */
public final class Drops {
    private final EventListener events;
    private final Map<DropReason, Counter> counters = new EnumMap<>(DropReason.class);

    public Drops(EventListener events, MeterRegistry meters) {
        this.events = events;
        for (DropReason reason : DropReason.values()) {
            counters.put(
                    reason,
                    Counter.builder("godwit.inbox.dropped")
                            .description("messages discarded by the queues of persistent sessions")
                            .tag("reason", reason.name().toLowerCase(Locale.ROOT))
                            .register(meters));
        }
    }

    void dropped(InboxId inbox, List<QueuedCopy> copies, DropReason reason) {
        copies.forEach(copy -> dropped(inbox, copy.message.topic(), reason));
    }

    void dropped(InboxId inbox, String topic, DropReason reason) {
        Counter counter = counters.get(reason);
        if (counter == null) {
            throw new IllegalStateException("no counter for " + reason);
        }
        counter.increment();
        if (events.isListening(BrokerEvent.MessageDropped.class)) {
            events.onEvent(new BrokerEvent.MessageDropped(inbox.tenant(), inbox.clientId(), topic, reason));
        }
    }
}
