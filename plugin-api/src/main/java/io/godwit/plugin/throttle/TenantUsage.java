package io.godwit.plugin.throttle;

import io.godwit.plugin.client.TenantId;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * Recent usage of a tenant. Immutable.
 *
 * @param here on this node: rates over about the last second, amounts as they are now; a missing entry means 0
 * @param inCluster on all nodes together; values of other nodes are up to two seconds old
 */
public record TenantUsage(TenantId tenant, Map<TenantResource, Long> here, Map<TenantResource, Long> inCluster) {
    public TenantUsage {
        here = copy(here);
        inCluster = copy(inCluster);
    }

    private static Map<TenantResource, Long> copy(Map<TenantResource, Long> values) {
        return values.isEmpty() ? Map.of() : Collections.unmodifiableMap(new EnumMap<>(values));
    }

    /** On this node. */
    public long here(TenantResource resource) {
        return here.getOrDefault(resource, 0L);
    }

    /** On all nodes. */
    public long inCluster(TenantResource resource) {
        return inCluster.getOrDefault(resource, 0L);
    }
}
