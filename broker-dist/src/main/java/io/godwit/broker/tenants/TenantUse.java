package io.godwit.broker.tenants;

import io.godwit.plugin.throttle.TenantResource;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * The use of one tenant on one node. Immutable.
 *
 * @param used by resource, without zeros; rates are of the last second
 * @param shortOf rates at which clients were held back or refused in the last second
 */
record TenantUse(Map<TenantResource, Long> used, Set<TenantResource> shortOf) {
    static final TenantUse NONE = new TenantUse(Map.of(), Set.of());

    TenantUse {
        used = used.isEmpty() ? Map.of() : new EnumMap<>(used);
        shortOf = shortOf.isEmpty() ? Set.of() : EnumSet.copyOf(shortOf);
    }

    long of(TenantResource resource) {
        return used.getOrDefault(resource, 0L);
    }

    boolean isShortOf(TenantResource rate) {
        return shortOf.contains(rate);
    }
}
