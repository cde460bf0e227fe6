package io.godwit.inbox.ledger;

import io.godwit.plugin.client.TenantId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** Bounds of the queues of those tenants that have their own. Any thread. */
public final class TenantQueues {
    /** Written by whoever is told of changes, read by the leaders of all ranges. Whoever writes bounds it. */
    private final ConcurrentMap<TenantId, QueueBounds> bounds = new ConcurrentHashMap<>();

    /**
     * For messages from now on; what waits stays.
     *
     * @param own null for those of the node
     */
    public void bound(TenantId tenant, @Nullable QueueBounds own) {
        if (own == null) {
            bounds.remove(tenant);
        } else {
            bounds.put(tenant, own);
        }
    }

    QueueBounds of(TenantId tenant, QueueBounds ofNode) {
        return bounds.isEmpty() ? ofNode : bounds.getOrDefault(tenant, ofNode);
    }
}
