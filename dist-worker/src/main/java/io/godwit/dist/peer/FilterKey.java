package io.godwit.dist.peer;

import io.godwit.dist.client.FilterSize;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import java.util.Optional;

/** What one node tells another about: a filter of a tenant; each shared group on it apart. */
record FilterKey(TenantId tenant, TopicFilter filter) implements Comparable<FilterKey> {
    /** An exclusive subscription matches as a plain one. */
    static FilterKey of(TenantId tenant, TopicFilter filter) {
        return new FilterKey(tenant, filter.isExclusive() ? new TopicFilter(null, filter.filter()) : filter);
    }

    /** Understands {@link #text}; empty when it is the text of no valid filter. */
    static Optional<FilterKey> parse(TenantId tenant, String text) {
        return TopicFilter.parse(text).map(filter -> of(tenant, filter));
    }

    /**
     * The text of the filter, as {@link #parse} understands it. Clients write any text behind {@code $exclusive/}, such
     * as {@code $share/g/t}: without what stood before it such a plain filter would be taken for one of another kind.
     */
    String text() {
        String text = filter.text();
        if (isShared() || text.charAt(0) != '$') {
            return text;
        }
        boolean isPlainText = TopicFilter.parse(text).filter(filter::equals).isPresent();
        return isPlainText ? text : new TopicFilter(null, text, TopicFilter.Sharing.EXCLUSIVE).text();
    }

    /** What it takes on the heap of a node that is told of it, about; decoded, however it is sent. */
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
