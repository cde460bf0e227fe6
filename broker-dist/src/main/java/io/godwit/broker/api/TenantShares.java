package io.godwit.broker.api;

import java.util.HashMap;
import java.util.Map;

/**
 * Bounds what is under way, in number and in bytes: of all tenants together, and of each tenant, so that one leaves
 * some for the others. Only tenants with something under way are stored. Any thread.
 */
public final class TenantShares {
    private final int most;
    private final long mostBytes;
    private final int shares;
    /** Of all tenants. */
    private final Sum all = new Sum();
    /**
     * By tenant. Guarded by itself, like the sums, because work begins and ends on any thread, and all bounds must be
     * looked at together. Held for a few steps.
     */
    private final Map<String, Sum> byTenant = new HashMap<>();

    private static final class Sum {
        private int count;
        private long bytes;

        /** Something that is larger than the bound may be under way alone. */
        boolean hasRoom(long more, int most, long mostBytes) {
            return count < most && (count == 0 || bytes + more <= mostBytes);
        }

        void add(int number, long more) {
            count += number;
            bytes += more;
        }
    }

    /**
     * @param most number of all tenants together
     * @param mostBytes of all tenants together
     * @param shares a tenant has at most one part in this many of both; 1 for no bound per tenant
     */
    public TenantShares(int most, long mostBytes, int shares) {
        this.most = most;
        this.mostBytes = mostBytes;
        this.shares = shares;
    }

    /** Whether one more of that size may begin; if so, it counts until {@link #leave}. */
    public boolean enter(String tenant, long bytes) {
        synchronized (byTenant) {
            Sum own = byTenant.getOrDefault(tenant, new Sum());
            if (!all.hasRoom(bytes, most, mostBytes)
                    || !own.hasRoom(bytes, Math.max(1, most / shares), mostBytes / shares)) {
                return false;
            }
            all.add(1, bytes);
            own.add(1, bytes);
            byTenant.put(tenant, own);
            return true;
        }
    }

    /** What was counted by {@link #enter} has ended. */
    public void leave(String tenant, long bytes) {
        synchronized (byTenant) {
            Sum own = byTenant.get(tenant);
            if (own == null) {
                throw new IllegalStateException("nothing is under way of tenant " + tenant);
            }
            all.add(-1, -bytes);
            own.add(-1, -bytes);
            if (own.count == 0) {
                byTenant.remove(tenant);
            }
        }
    }
}
