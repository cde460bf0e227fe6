package io.godwit.inbox.ledger;

import io.godwit.plugin.client.TenantId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** Queue bounds of the tenants that have their own. Any thread. */
public final class TenantQueues {
    /** Leaders of all ranges read it, other threads write it. The writer limits its size. */
    private final ConcurrentMap<TenantId, QueueBounds> bounds = new ConcurrentHashMap<>();

    /**
     * Sets the bounds for messages from now on; messages already queued stay.
     *
     * @param own null to use the bounds of the node again
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
