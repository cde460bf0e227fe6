package io.godwit.inbox.queue;

import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.event.EventListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** Counts every message that a queue gives up, by reason, and raises its event. Thread-safe. */
public final class Drops {
    /** The topic of an event that stands for a whole queue: its topics are on disk, and are not read to be thrown away. */
    public static final String ALL_TOPICS = "#";

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

    void dropped(InboxId inbox, String topic, DropReason reason) {
        dropped(inbox, topic, reason, 1);
    }

    /** {@code count} messages, one event. */
    void dropped(InboxId inbox, String topic, DropReason reason, int count) {
        Counter counter = counters.get(reason);
        if (counter == null) {
            throw new IllegalStateException("no counter for " + reason);
        }
        counter.increment(count);
        events.onEvent(new BrokerEvent.MessageDropped(inbox.tenant(), inbox.clientId(), topic, reason));
    }
}
