package io.godwit.api.port.watch;

import io.godwit.plugin.event.BrokerEvent;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** Names of events: {@code client-connected} for {@link BrokerEvent.ClientConnected}. */
public final class EventTypes {
    private EventTypes() {}

    public static String of(Class<? extends BrokerEvent> event) {
        return event.getSimpleName().replaceAll("(?<!^)([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    /** The names of all events, sorted. */
    @SuppressWarnings("unchecked") // all are subtypes of the sealed interface
    public static Set<String> all() {
        Set<String> names = new TreeSet<>();
        for (Class<?> each : BrokerEvent.class.getPermittedSubclasses()) {
            names.add(of((Class<? extends BrokerEvent>) each));
        }
        return names;
    }
}
