package io.godwit.dist.peer;

import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;

/** What one node tells another about: a filter of a tenant; each shared group on it apart. */
record FilterKey(TenantId tenant, TopicFilter filter) implements Comparable<FilterKey> {
    /** An exclusive subscription matches as a plain one. */
    static FilterKey of(TenantId tenant, TopicFilter filter) {
        return new FilterKey(tenant, filter.isExclusive() ? new TopicFilter(null, filter.filter()) : filter);
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
