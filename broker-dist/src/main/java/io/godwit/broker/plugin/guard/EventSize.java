package io.godwit.broker.plugin.guard;

import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.event.BrokerEvent;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The approximate size of an event on the heap; clients determine the length of its texts. Uses reflection, and only
 * for events that somebody wants. Any thread.
 */
final class EventSize {
    /** Without texts. */
    private static final int OVERHEAD_BYTES = 128;

    private static final Map<Class<?>, List<Method>> TEXTS = Stream.of(BrokerEvent.class.getPermittedSubclasses())
            .collect(Collectors.toUnmodifiableMap(kind -> kind, EventSize::textsOf));

    private EventSize() {}

    private static List<Method> textsOf(Class<?> kind) {
        return Arrays.stream(kind.getRecordComponents())
                .filter(part -> part.getType() == String.class
                        || part.getType() == ClientId.class
                        || part.getType() == ClientInfo.class
                        || part.getType() == List.class)
                .map(RecordComponent::getAccessor)
                .toList();
    }

    static int of(BrokerEvent event) {
        long chars = 0;
        for (Method each : TEXTS.getOrDefault(event.getClass(), List.of())) {
            try {
                chars += chars(each.invoke(event));
            } catch (IllegalAccessException | InvocationTargetException e) {
                throw new IllegalStateException("no " + each.getName() + " of " + event.getClass(), e);
            }
        }
        return (int) Math.min(Integer.MAX_VALUE, OVERHEAD_BYTES + 2 * chars);
    }

    private static long chars(@Nullable Object value) {
        if (value instanceof String text) {
            return text.length();
        }
        if (value instanceof ClientId client) {
            return client.value().length();
        }
        if (value instanceof ClientInfo client) {
            String user = client.userName();
            return client.clientId().value().length() + (user == null ? 0L : user.length());
        }
        if (value instanceof List<?> several) {
            return several.stream().mapToLong(EventSize::chars).sum();
        }
        return 0;
    }
}
