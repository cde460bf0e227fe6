package io.godwit.broker.watch.question;

import io.godwit.api.port.watch.EventTypes;
import io.godwit.broker.config.key.EnumNames;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.message.Qos;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Describes events as text, from the components of their records, so that a new kind of event needs no change here.
 * Uses reflection, and only while somebody watches. Any thread.
 */
public final class EventWords {
    private static final Map<String, String> NAMES = Map.of("remoteAddress", "address", "nodeId", "member");
    private static final Map<Class<? extends BrokerEvent>, EventWords> ALL = all();

    private final String type;
    private final List<Part> parts;
    private final boolean isAboutClients;

    private record Part(String name, Class<?> type, Method accessor) {
        static Part of(RecordComponent component) {
            Method accessor = component.getAccessor();
            return new Part(
                    NAMES.getOrDefault(component.getName(), component.getName()), component.getType(), accessor);
        }

        @Nullable
        Object of(BrokerEvent event) {
            try {
                return accessor.invoke(event);
            } catch (IllegalAccessException | InvocationTargetException e) {
                throw new IllegalStateException("no " + name + " of " + event.getClass(), e);
            }
        }
    }

    private EventWords(Class<? extends BrokerEvent> event) {
        this.type = EventTypes.of(event);
        this.parts = Arrays.stream(event.getRecordComponents()).map(Part::of).toList();
        this.isAboutClients = parts.stream()
                .anyMatch(part ->
                        part.type == ClientInfo.class || part.type == ClientId.class || part.name.equals("address"));
    }

    @SuppressWarnings("unchecked") // all are subtypes of the sealed interface
    private static Map<Class<? extends BrokerEvent>, EventWords> all() {
        return Stream.of(BrokerEvent.class.getPermittedSubclasses())
                .map(each -> (Class<? extends BrokerEvent>) each)
                .collect(Collectors.toUnmodifiableMap(each -> each, EventWords::new));
    }

    public static EventWords of(Class<? extends BrokerEvent> event) {
        EventWords words = ALL.get(event);
        if (words == null) {
            throw new IllegalArgumentException("no event: " + event);
        }
        return words;
    }

    String type() {
        return type;
    }

    /** The tenant of the event; null if it has none. */
    @Nullable
    String tenant(BrokerEvent event) {
        for (Part part : parts) {
            if (part.type == ClientInfo.class) {
                return part.of(event) instanceof ClientInfo client
                        ? client.tenant().value()
                        : null;
            }
            if (part.type == TenantId.class && part.of(event) instanceof TenantId tenant) {
                return tenant.value();
            }
        }
        return null;
    }

    /** The client of the event; null if it has none. */
    @Nullable
    String clientId(BrokerEvent event) {
        for (Part part : parts) {
            if (part.type == ClientInfo.class) {
                return part.of(event) instanceof ClientInfo client
                        ? client.clientId().value()
                        : null;
            }
            if (part.type == ClientId.class && part.of(event) instanceof ClientId client) {
                return client.value();
            }
        }
        return null;
    }

    /** Whether it is about a client, or about the address of a connection. */
    boolean isAboutClients() {
        return isAboutClients;
    }

    /** The address and port of the event; null if it has none. */
    @Nullable
    String address(BrokerEvent event) {
        for (Part part : parts) {
            if (part.name.equals("address")) {
                return (String) part.of(event);
            }
            if (part.type == ClientInfo.class && part.of(event) instanceof ClientInfo client) {
                return client.remoteAddress();
            }
        }
        return null;
    }

    /** The topic or filter of the event; null if it has none. */
    @Nullable
    String topic(BrokerEvent event) {
        for (Part part : parts) {
            if (part.name.equals("topic") || part.name.equals("filter")) {
                return (String) part.of(event);
            }
        }
        return null;
    }

    public WatchEntry entry(BrokerEvent event, long atMillis) {
        Map<String, Object> details = new LinkedHashMap<>();
        for (Part part : parts) {
            Object value = part.of(event);
            if (value != null) {
                put(details, part.name, value);
            }
        }
        return new WatchEntry(atMillis, type, details);
    }

    private static void put(Map<String, Object> details, String name, Object value) {
        if (value instanceof ClientInfo client) {
            putClient(details, client);
        } else if (value instanceof TenantId tenant) {
            details.put("tenant", WatchEntry.cut(tenant.value()));
        } else if (value instanceof ClientId client) {
            details.put("clientId", WatchEntry.cut(client.value()));
        } else if (value instanceof Qos qos) {
            details.put(name, (long) qos.value());
        } else if (value instanceof Enum<?> constant) {
            details.put(name, EnumNames.of(constant));
        } else if (value instanceof Duration duration) {
            details.put(name.endsWith("uration") ? "durationMillis" : name + "Millis", duration.toMillis());
        } else if (value instanceof List<?> several) {
            details.put(
                    name, WatchEntry.cut(several.stream().map(String::valueOf).collect(Collectors.joining(", "))));
        } else if (value instanceof Integer || value instanceof Long) {
            long whole = ((Number) value).longValue();
            // as text: an incarnation is an identifier, and exceeds the integers that every JSON reader can represent
            details.put(name, name.equals("incarnation") ? Long.toString(whole) : whole);
        } else {
            details.put(name, value instanceof Boolean ? value : WatchEntry.cut(value.toString()));
        }
    }

    static void putClient(Map<String, Object> details, ClientInfo client) {
        details.put("tenant", WatchEntry.cut(client.tenant().value()));
        details.put("clientId", WatchEntry.cut(client.clientId().value()));
        String userName = client.userName();
        if (userName != null) {
            details.put("userName", WatchEntry.cut(userName));
        }
        details.put("address", client.remoteAddress());
        details.put("protocolLevel", (long) client.protocolLevel());
    }
}
