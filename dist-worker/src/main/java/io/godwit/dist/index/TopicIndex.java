package io.godwit.dist.index;

import io.godwit.cluster.link.Peer;
import io.godwit.dist.index.compact.NodeSets;
import io.godwit.dist.index.share.SharedStrategies;
import io.godwit.dist.index.share.StickyListener;
import io.godwit.plugin.client.TenantId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All subscriptions that this node matches publishes against, by tenant. Thread-safe. A tenant's index is never
 * removed: publishers keep a reference to it, and tenants are few.
 */
public final class TopicIndex {
    private final SharedStrategies strategies;
    private final String node;
    private final StickyListener sticky;
    private final ConcurrentHashMap<TenantId, TenantIndex> tenants = new ConcurrentHashMap<>();

    private final NodeSets nodeSets = new NodeSets();
    private final LeftBehind leftBehind = new LeftBehind();
    private final KeyClaims claims = new KeyClaims();

    /** For a node that is alone. */
    public TopicIndex(SharedStrategies strategies) {
        this(strategies, "", StickyListener.NONE);
    }

    /**
     * @param node the client id by which the other nodes know the members of shared groups on this one
     * @param sticky is told what sticky groups keep
     */
    public TopicIndex(SharedStrategies strategies, String node, StickyListener sticky) {
        this.strategies = strategies;
        this.node = node;
        this.sticky = sticky;
    }

    public TenantIndex tenant(TenantId tenant) {
        TenantIndex known = tenants.get(tenant);
        return known != null
                ? known
                : tenants.computeIfAbsent(tenant, id -> new TenantIndex(id, strategies, node, sticky, nodeSets));
    }

    /** The index of a tenant; null when there is none yet. */
    public @Nullable TenantIndex known(TenantId tenant) {
        return tenants.get(tenant);
    }

    /** Removes all filters and connected members of {@code peer}, for which nothing may be added any more. */
    public NodeRemoval removalOf(Peer peer) {
        NodeRemoval removal = new NodeRemoval(peer, nodeSets);
        forEachTenant(tenant -> removal.add(tenant, tenant.filtersOf(peer)));
        return removal;
    }

    public LeftBehind leftBehind() {
        return leftBehind;
    }

    public KeyClaims claims() {
        return claims;
    }

    public void forEachTenant(Consumer<TenantIndex> action) {
        tenants.values().forEach(action);
    }

    /** Number of subscriptions of all tenants. Any thread. */
    public SubscriptionCounts counts() {
        SubscriptionCounts all = SubscriptionCounts.NONE;
        for (TenantIndex tenant : tenants.values()) {
            all = all.plus(tenant.counts());
        }
        return all;
    }
}
