package io.godwit.broker.watch.question;

import io.godwit.api.port.watch.WatchSource.EventFilter;
import io.godwit.plugin.event.BrokerEvent;
import java.util.Optional;
import java.util.Set;

/**
 * The events that an operator watches; all given conditions must hold.
 *
 * @param types empty for all but those of {@link #OF_EACH_MESSAGE}
 * @param clientId the client that the events are about
 * @param tenant empty also includes events without a tenant
 */
public record EventQuestion(Set<String> types, Optional<String> clientId, Optional<String> tenant)
        implements WatchQuestion, EventWatch {
    static final int MAX_TYPES = 100;
    /** Raised for each message. They must be asked for by name, since they would hide all others. */
    private static final Set<Class<? extends BrokerEvent>> OF_EACH_MESSAGE = Set.of(
            BrokerEvent.PublishReceived.class,
            BrokerEvent.PublishAccepted.class,
            BrokerEvent.RetainedMessageSet.class,
            BrokerEvent.RetainedMessageCleared.class,
            BrokerEvent.RetainedMessageExpired.class,
            BrokerEvent.MessageQueued.class,
            BrokerEvent.MessageDelivered.class,
            BrokerEvent.MessageAcknowledged.class);

    public EventQuestion {
        types = Set.copyOf(types);
        if (types.size() > MAX_TYPES) {
            throw new IllegalArgumentException(types.size() + " types of events");
        }
    }

    public static EventQuestion of(EventFilter filter) {
        return new EventQuestion(filter.types(), filter.clientId(), filter.tenant());
    }

    /** Whether it asks for events that are raised for each message. */
    public boolean isOfEachMessage() {
        return OF_EACH_MESSAGE.stream()
                .anyMatch(kind -> types.contains(EventWords.of(kind).type()));
    }

    @Override
    public String told() {
        return "event";
    }

    @Override
    public boolean wants(Class<? extends BrokerEvent> kind) {
        return types.isEmpty()
                ? !OF_EACH_MESSAGE.contains(kind)
                : types.contains(EventWords.of(kind).type());
    }

    @Override
    public boolean matches(BrokerEvent event) {
        EventWords words = EventWords.of(event.getClass());
        return wants(event.getClass())
                && (clientId.isEmpty() || clientId.get().equals(words.clientId(event)))
                && (tenant.isEmpty() || tenant.get().equals(words.tenant(event)));
    }
}
