package io.godwit.broker.clients.node;

import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A page of the subscriptions of a session in a node's memory.
 *
 * @param entries by the texts of their filters
 * @param hasMore whether more follow the last one
 */
public record NodeSubscriptions(List<Entry> entries, boolean hasMore) {
    /** Bound of the filters' texts in a page with more than one filter. */
    private static final long MOST_CHARS = 1 << 19;

    public record Entry(String filter, SubscriptionOptions options) {}

    public NodeSubscriptions {
        entries = List.copyOf(entries);
    }

    /**
     * @param filters all filters, in any order
     * @param after the text of the last filter of the page before; null for the first page
     * @param options of a filter; null if it was removed meanwhile
     */
    static NodeSubscriptions page(
            List<TopicFilter> filters,
            @Nullable String after,
            int limit,
            Function<TopicFilter, @Nullable SubscriptionOptions> options) {
        List<TopicFilter> behind = filters.stream()
                .filter(filter -> after == null || filter.text().compareTo(after) > 0)
                .sorted(Comparator.comparing(TopicFilter::text))
                .toList();
        List<Entry> entries = new ArrayList<>();
        long chars = 0;
        for (TopicFilter filter : behind) {
            chars += filter.text().length();
            if (entries.size() == limit || chars > MOST_CHARS && !entries.isEmpty()) {
                return new NodeSubscriptions(entries, true);
            }
            SubscriptionOptions known = options.apply(filter);
            if (known != null) {
                entries.add(new Entry(filter.text(), known));
            }
        }
        return new NodeSubscriptions(entries, false);
    }
}
