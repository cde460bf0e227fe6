package io.godwit.inbox.ledger;

import io.godwit.plugin.client.TenantId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** Queue bounds of the tenants that have their own. Any thread. */
public final class TenantQueues {
    /** Leaders of all ranges read it, other threads write it. The writer limits its size. */
    private final ConcurrentMap<TenantId, QueueBounds> bounds = new ConcurrentHashMap<>();

    /** Volatile: one thread replaces it as a whole, the leaders of all ranges read it. */
    private volatile Map<TenantId, Long> mostBytes = Map.of();

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

    /**
     * Sets how many bytes of payloads may wait for the sessions of tenants in the ranges led here, from the next
     * message on. In a cluster the bytes on other nodes are already subtracted. Tenants that are not in the map have
     * the limit of {@link #bound}.
     */
    public void mostBytes(Map<TenantId, Long> found) {
        mostBytes = Map.copyOf(found);
    }

    /** The smaller of the two limits; {@link QueueBounds#ANY_BYTES} for no limit. */
    public long mostBytes(TenantId tenant) {
        QueueBounds own = bounds.isEmpty() ? null : bounds.get(tenant);
        long most = own == null ? QueueBounds.ANY_BYTES : own.maxTenantBytes();
        Map<TenantId, Long> found = mostBytes;
        return found.isEmpty() ? most : Math.min(most, found.getOrDefault(tenant, QueueBounds.ANY_BYTES));
    }

    QueueBounds of(TenantId tenant, QueueBounds ofNode) {
        return bounds.isEmpty() ? ofNode : bounds.getOrDefault(tenant, ofNode);
    }
}
