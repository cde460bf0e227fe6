package io.godwit.broker.auth.jwt;

import io.godwit.broker.auth.filter.AclFilter;
import io.godwit.plugin.client.ClientInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The rights in a token: filters for publishes and for subscriptions, with placeholders {@code %c} and {@code %u}.
 * Everything else is denied. Immutable.
 */
record Rights(List<AclFilter> publish, List<AclFilter> subscribe) {
    /** Bound over both lists. */
    private static final int MAX_FILTERS = 1_000;

    Rights {
        publish = List.copyOf(publish);
        subscribe = List.copyOf(subscribe);
    }

    /**
     * @param claim {@code {"publish": [...], "subscribe": [...], "all": [...]}}; each part is optional
     * @return empty for any other form: an unknown right must not be ignored
     */
    static Optional<Rights> of(Object claim) {
        if (!(claim instanceof Map<?, ?> map)) {
            return Optional.empty();
        }
        List<AclFilter> publish = new ArrayList<>();
        List<AclFilter> subscribe = new ArrayList<>();
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            List<AclFilter> filters = filters(entry.getValue());
            if (filters == null) {
                return Optional.empty();
            }
            switch (String.valueOf(entry.getKey())) {
                case "publish" -> publish.addAll(filters);
                case "subscribe" -> subscribe.addAll(filters);
                case "all" -> {
                    publish.addAll(filters);
                    subscribe.addAll(filters);
                }
                default -> {
                    return Optional.empty();
                }
            }
        }
        return publish.size() + subscribe.size() > MAX_FILTERS
                ? Optional.empty()
                : Optional.of(new Rights(publish, subscribe));
    }

    private static @Nullable List<AclFilter> filters(Object value) {
        if (!(value instanceof List<?> texts)) {
            return null;
        }
        List<AclFilter> filters = new ArrayList<>();
        for (Object text : texts) {
            if (!(text instanceof String filter)) {
                return null;
            }
            try {
                filters.add(AclFilter.parse(filter));
            } catch (IllegalArgumentException e) {
                return null;
            }
        }
        return filters;
    }

    boolean mayPublish(ClientInfo client, String topic) {
        return covers(publish, client, topic);
    }

    /** @param filter without the share name */
    boolean maySubscribe(ClientInfo client, String filter) {
        return covers(subscribe, client, filter);
    }

    private static boolean covers(List<AclFilter> filters, ClientInfo client, String wanted) {
        String[] levels = AclFilter.levelsOf(wanted);
        for (AclFilter filter : filters) {
            if (filter.covers(levels, client)) {
                return true;
            }
        }
        return false;
    }
}
