package io.godwit.broker.store;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/**
 * Decides whether this node may take one more delayed message. Three bounds hold: that of the node, the tenant's share
 * of it, and the quota of the tenant ({@link DelayedQuota}). The share is nine tenths of what other tenants leave,
 * rounded up. So however many messages one tenant has, some room is left for the others, and the sum never exceeds the
 * bound of the node. Stored messages are those in the ranges led here; the quota covers the other nodes.
 *
 * <p>Thread-safe: publishers enter on their event loops, and range executors leave.
 */
public final class DelayedRoom {
    private final LongSupplier stored;
    private final ToLongFunction<TenantId> storedOf;
    private final int maxMessages;

    /** Messages being written to the store. */
    private final AtomicLong underWay = new AtomicLong();
    /** The same by tenant, without zeros. */
    private final ConcurrentMap<TenantId, Long> underWayOf = new ConcurrentHashMap<>();

    /** Volatile: set once by the thread that wires the broker; wills of a range may need it before. */
    private volatile DelayedQuota quota = DelayedQuota.NONE;

    /**
     * @param stored the number of stored messages, see {@link DelayedMessages#isKeeper}
     * @param storedOf the same of one tenant
     * @param maxMessages bound of the messages of all tenants
     */
    public DelayedRoom(LongSupplier stored, ToLongFunction<TenantId> storedOf, int maxMessages) {
        this.stored = stored;
        this.storedOf = storedOf;
        this.maxMessages = maxMessages;
    }

    /** Sets the quotas of the tenants. */
    public void limitedBy(DelayedQuota quotas) {
        quota = quotas;
    }

    /** Whether there is room for one more message of the tenant; it is counted then, and {@link #leave} must follow. */
    boolean tryEnter(TenantId tenant) {
        enter(tenant);
        if (fits(tenant)) {
            return true;
        }
        leave(tenant);
        return false;
    }

    /** Counts a message for which there need not be room. */
    void enter(TenantId tenant) {
        underWay.incrementAndGet();
        underWayOf.merge(tenant, 1L, Long::sum);
    }

    /** The message is stored, or will not be. */
    void leave(TenantId tenant) {
        underWay.decrementAndGet();
        underWayOf.computeIfPresent(tenant, (same, count) -> count == 1 ? null : count - 1);
    }

    private boolean fits(TenantId tenant) {
        long own = ownOf(tenant);
        long ofOthers = Math.max(0, stored.getAsLong() + underWay.get() - own);
        long left = Math.max(0, maxMessages - ofOthers);
        return own <= (9 * left + 9) / 10 && own <= quota.most(tenant);
    }

    private long ownOf(TenantId tenant) {
        return storedOf.applyAsLong(tenant) + underWayOf.getOrDefault(tenant, 0L);
    }

    /** Reports a refused message, if the quota of its tenant is reached. */
    void refused(ClientInfo publisher) {
        DelayedQuota quotas = quota;
        long most = quotas.most(publisher.tenant());
        if (ownOf(publisher.tenant()) >= most) {
            quotas.reached(publisher, most);
        }
    }
}
