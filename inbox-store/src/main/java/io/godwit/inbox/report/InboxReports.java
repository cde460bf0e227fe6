package io.godwit.inbox.report;

import io.godwit.inbox.format.QueuedCopy;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.kv.client.WaitReports;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.event.NodeWait;
import io.godwit.plugin.event.SessionEndCause;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Reports events of stored sessions to operators: each method counts the event and, if a listener wants it, sends it.
 * An event is reported when it is decided, shortly before it is written; only stored copies are counted when written.
 * Sessions that the broker keeps for itself, whose client ids no client may have, are left out, except for the messages
 * that their queues store and drop.
 * Thread-safe.
 */
public final class InboxReports {
    private final EventListener events;
    private final WaitReports waits;
    private final Map<DropReason, Counter> drops = new EnumMap<>(DropReason.class);
    private final Map<SessionEndCause, Counter> ended = new EnumMap<>(SessionEndCause.class);
    private final Counter publishedWills;
    private final Counter delayedWills;
    private final Counter suppressedWills;
    private final Counter fullQueues;
    private final Counter relievedQueues;
    /**
     * LongAdders, because leaders of several ranges count here for every message; read only when the registry is read.
     */
    private final LongAdder storedCopies;
    /** As {@link #storedCopies}. */
    private final LongAdder cancelledCopies;

    /** Volatile: set once, when leaders may be counting already. */
    private volatile Consumer<TenantId> drop = tenant -> {};

    public InboxReports(EventListener events, MeterRegistry meters) {
        this.events = events;
        this.waits = new WaitReports(
                events, meters, NodeWait.CLIENT_ID, NodeWait.SILENT_MEMBER, NodeWait.HOME, NodeWait.CONNECTION);
        for (DropReason reason : DropReason.values()) {
            drops.put(
                    reason,
                    Counter.builder("godwit.inbox.dropped")
                            .description("messages discarded by the queues of persistent sessions")
                            .tag("reason", reason.name().toLowerCase(Locale.ROOT))
                            .register(meters));
        }
        for (SessionEndCause cause : SessionEndCause.values()) {
            ended.put(
                    cause,
                    Counter.builder("godwit.inbox.sessions.ended")
                            .description("stored sessions that are over")
                            .tag("cause", cause.name().toLowerCase(Locale.ROOT))
                            .register(meters));
        }
        publishedWills = counter(meters, "wills.published", "wills that were published");
        delayedWills = counter(meters, "wills.delayed", "wills that began to wait for their delay");
        suppressedWills =
                counter(meters, "wills.suppressed", "wills that were not: their client said goodbye, or is back");
        fullQueues = counter(meters, "queues.full", "queues of stored sessions that became full");
        relievedQueues = counter(meters, "queues.relieved", "full queues that had room again, or are over");
        storedCopies = copies(meters, "stored", "copies of messages of QoS 1 and 2 that were committed to queues");
        cancelledCopies = copies(
                meters,
                "cancelled",
                "copies that were never written, since their client acknowledged an early push first");
    }

    private static Counter counter(MeterRegistry meters, String name, String description) {
        return Counter.builder("godwit.inbox." + name).description(description).register(meters);
    }

    private static LongAdder copies(MeterRegistry meters, String fate, String description) {
        LongAdder copies = new LongAdder();
        FunctionCounter.builder("godwit.inbox.copies." + fate, copies, LongAdder::sum)
                .description(description)
                .register(meters);
        return copies;
    }

    /** Waits for other nodes that ran out of time. */
    public WaitReports waits() {
        return waits;
    }

    /** That many copies of a message of QoS 1 or 2 were stored in queues; if {@link #tellsStored}, each is told too. */
    public void stored(int copies) {
        storedCopies.add(copies);
    }

    /** Whether a listener wants each stored copy. Asked once for each message. */
    public boolean tellsStored() {
        return events.isListening(BrokerEvent.MessageQueued.class);
    }

    /** One of the copies that {@link #stored} counts. */
    public void tellStored(InboxId inbox, QueuedCopy copy) {
        events.onEvent(new BrokerEvent.MessageQueued(
                inbox.tenant(), inbox.clientId(), copy.message.topic(), copy.qos, copy.message.payload().length));
    }

    /** A copy need not be written: its client has already acknowledged it. */
    public void cancelled() {
        cancelledCopies.increment();
    }

    /** @param told gets the tenant of each dropped message; called on any thread, must return at once */
    public void onDrop(Consumer<TenantId> told) {
        drop = told;
    }

    public void dropped(InboxId inbox, List<QueuedCopy> copies, DropReason reason) {
        copies.forEach(copy -> dropped(inbox, copy.message.topic(), reason));
    }

    public void dropped(InboxId inbox, String topic, DropReason reason) {
        drop.accept(inbox.tenant());
        Objects.requireNonNull(drops.get(reason)).increment();
        if (events.isListening(BrokerEvent.MessageDropped.class)) {
            events.onEvent(new BrokerEvent.MessageDropped(inbox.tenant(), inbox.clientId(), topic, reason));
        }
    }

    public void sessionEnded(InboxId inbox, SessionEndCause cause) {
        if (isBrokersOwn(inbox)) {
            return;
        }
        Objects.requireNonNull(ended.get(cause)).increment();
        if (events.isListening(BrokerEvent.SessionEnded.class)) {
            events.onEvent(new BrokerEvent.SessionEnded(inbox.tenant(), inbox.clientId(), cause));
        }
    }

    public void willPublished(InboxId inbox, String topic) {
        if (isBrokersOwn(inbox)) {
            return;
        }
        publishedWills.increment();
        if (events.isListening(BrokerEvent.WillPublished.class)) {
            events.onEvent(new BrokerEvent.WillPublished(inbox.tenant(), inbox.clientId(), topic));
        }
    }

    /** @param delay until it is published */
    public void willDelayed(InboxId inbox, String topic, Duration delay) {
        if (isBrokersOwn(inbox)) {
            return;
        }
        delayedWills.increment();
        if (events.isListening(BrokerEvent.WillDelayed.class)) {
            events.onEvent(new BrokerEvent.WillDelayed(inbox.tenant(), inbox.clientId(), topic, delay));
        }
    }

    public void willSuppressed(InboxId inbox, String topic) {
        if (isBrokersOwn(inbox)) {
            return;
        }
        suppressedWills.increment();
        if (events.isListening(BrokerEvent.WillSuppressed.class)) {
            events.onEvent(new BrokerEvent.WillSuppressed(inbox.tenant(), inbox.clientId(), topic));
        }
    }

    public void queueFullBegan(InboxId inbox) {
        fullQueues.increment();
        if (events.isListening(BrokerEvent.QueueFullBegan.class)) {
            events.onEvent(new BrokerEvent.QueueFullBegan(inbox.tenant(), inbox.clientId()));
        }
    }

    public void queueFullEnded(InboxId inbox, long droppedMessages) {
        relievedQueues.increment();
        if (events.isListening(BrokerEvent.QueueFullEnded.class)) {
            events.onEvent(new BrokerEvent.QueueFullEnded(inbox.tenant(), inbox.clientId(), droppedMessages));
        }
    }

    public static boolean isBrokersOwn(InboxId inbox) {
        String clientId = inbox.clientId().value();
        return !clientId.isEmpty() && clientId.charAt(0) == '\0';
    }
}
