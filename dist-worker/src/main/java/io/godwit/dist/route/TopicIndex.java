package io.godwit.dist.route;

import io.godwit.plugin.client.TenantId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * All subscriptions that this node matches publishes against, by tenant. Thread-safe. A tenant's index stays once made:
 * publishers hold on to it, and tenants are few.
 */
public final class TopicIndex {
    private final SharedStrategies strategies;
    private final ConcurrentHashMap<TenantId, TenantIndex> tenants = new ConcurrentHashMap<>();

    private final LeftBehind leftBehind = new LeftBehind();

    public TopicIndex(SharedStrategies strategies) {
        this.strategies = strategies;
    }

    public TenantIndex tenant(TenantId tenant) {
        TenantIndex known = tenants.get(tenant);
        return known != null ? known : tenants.computeIfAbsent(tenant, id -> new TenantIndex(id, strategies));
    }

    LeftBehind leftBehind() {
        return leftBehind;
    }

    public void forEachTenant(Consumer<TenantIndex> action) {
        tenants.values().forEach(action);
    }

    /** How many subscriptions there are over all tenants. */
    public long subscriptions() {
        return tenants.values().stream().mapToLong(TenantIndex::subscriptions).sum();
    }
}
