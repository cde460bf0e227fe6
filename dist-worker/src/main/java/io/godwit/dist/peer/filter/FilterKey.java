package io.godwit.dist.peer.filter;

import io.godwit.dist.client.FilterSize;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import java.util.Optional;

/** A filter of a tenant, as nodes report it to each other; shared groups on the same filter have separate keys. */
public record FilterKey(TenantId tenant, TopicFilter filter) implements Comparable<FilterKey> {
    /** An exclusive subscription has the key of a plain one. */
    static FilterKey of(TenantId tenant, TopicFilter filter) {
        return new FilterKey(tenant, filter.isExclusive() ? new TopicFilter(null, filter.filter()) : filter);
    }

    /** Parses {@link #text}; empty when it is not the text of a valid filter. */
    static Optional<FilterKey> parse(TenantId tenant, String text) {
        return TopicFilter.parse(text).map(filter -> of(tenant, filter));
    }

    /**
     * The text of the filter for {@link #parse}. Clients may write any text after {@code $exclusive/}, such as
     * {@code $share/g/t}; without that prefix such a plain filter would be parsed as one of another kind.
     */
    String text() {
        String text = filter.text();
        if (isShared() || text.charAt(0) != '$') {
            return text;
        }
        boolean isPlainText = TopicFilter.parse(text).filter(filter::equals).isPresent();
        return isPlainText ? text : new TopicFilter(null, text, TopicFilter.Sharing.EXCLUSIVE).text();
    }

    /** Approximate heap bytes of the decoded filter on a node that has received it. */
    long heapBytes() {
        return FilterSize.heapBytes(filter);
    }

    boolean isShared() {
        return filter.isShared();
    }

    @Override
    public int compareTo(FilterKey other) {
        int byTenant = tenant.compareTo(other.tenant);
        return byTenant != 0 ? byTenant : filter.compareTo(other.filter);
    }
}
