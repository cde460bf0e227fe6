package io.godwit.broker.watch;

import io.godwit.api.port.WatchSource.EventFilter;
import io.godwit.plugin.event.BrokerEvent;
import java.util.Optional;
import java.util.Set;

/**
 * Which events somebody wants. All that is given must hold.
 *
 * @param types none for all but those that there is one of for each message
 * @param clientId of whom they are about
 * @param tenant empty also for those of no tenant
 */
record EventQuestion(Set<String> types, Optional<String> clientId, Optional<String> tenant)
        implements WatchQuestion, EventWatch {
    static final int MAX_TYPES = 100;
    /** Whoever wants these says so: all others would be lost among them. */
    private static final Set<Class<? extends BrokerEvent>> OF_EACH_MESSAGE =
            Set.of(BrokerEvent.PublishReceived.class, BrokerEvent.MessageDelivered.class);

    EventQuestion {
        types = Set.copyOf(types);
        if (types.size() > MAX_TYPES) {
            throw new IllegalArgumentException(types.size() + " types of events");
        }
    }

    static EventQuestion of(EventFilter filter) {
        return new EventQuestion(filter.types(), filter.clientId(), filter.tenant());
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
