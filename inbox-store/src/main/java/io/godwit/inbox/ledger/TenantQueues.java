package io.godwit.inbox.ledger;

import io.godwit.plugin.client.TenantId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** Bounds of the queues of those tenants that have their own. Any thread. */
public final class TenantQueues {
    /** Written by whoever is told of changes, read by the leaders of all ranges. Whoever writes bounds it. */
    private final ConcurrentMap<TenantId, QueueBounds> bounds = new ConcurrentHashMap<>();

    /** Volatile: replaced as a whole by whoever finds it, read as above. */
    private volatile Map<TenantId, Long> mostBytes = Map.of();

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

    /**
     * How many bytes of payloads may wait for the sessions of tenants in the ranges led here, from the next message on;
     * in a cluster what other nodes have is taken off. Of those that are not there it is what {@link #bound} says.
     */
    public void mostBytes(Map<TenantId, Long> found) {
        mostBytes = Map.copyOf(found);
    }

    /** The smaller of both; {@link QueueBounds#ANY_BYTES} for no limit. */
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
