package io.godwit.plugin.sub;

import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * One subscription of a {@link SubBroker}.
 *
 * @param name up to 64 letters, digits, '-' and '_'
 * @param filters as clients write them, at most 1,000: neither shared nor exclusive. A message that several of them
 *     match comes once
 */
public record SubBrokerSubscription(String name, TenantId tenant, List<String> filters) {
    private static final int MAX_FILTERS = 1_000;

    public SubBrokerSubscription {
        if (!name.matches("[A-Za-z0-9_-]{1,64}")) {
            throw new IllegalArgumentException("the name must be up to 64 letters, digits, '-' and '_', was " + name);
        }
        filters = List.copyOf(new LinkedHashSet<>(filters));
        if (filters.isEmpty() || filters.size() > MAX_FILTERS) {
            throw new IllegalArgumentException(
                    name + " must have 1 to " + MAX_FILTERS + " filters, had " + filters.size());
        }
        for (String filter : filters) {
            TopicFilter parsed = TopicFilter.parse(filter)
                    .orElseThrow(() -> new IllegalArgumentException(name + ": not a topic filter: " + filter));
            if (parsed.isShared() || parsed.isExclusive()) {
                throw new IllegalArgumentException(name + ": a filter must not be shared or exclusive: " + filter);
            }
        }
    }

    /** In the default tenant. */
    public SubBrokerSubscription(String name, List<String> filters) {
        this(name, TenantId.DEFAULT, filters);
    }
}
