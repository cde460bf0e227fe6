package io.godwit.broker.store;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;

/** How many delayed messages tenants may have. Any thread; both methods return at once. */
public interface DelayedQuota {
    /** For a node whose tenants have no quotas. */
    DelayedQuota NONE = new DelayedQuota() {
        @Override
        public long most(TenantId tenant) {
            return Long.MAX_VALUE;
        }

        @Override
        public void reached(ClientInfo publisher, long most) {
            // never
        }
    };

    /** The part of the tenant's quota that is for this node; {@link Long#MAX_VALUE} without a quota. */
    long most(TenantId tenant);

    /** A message was refused because the quota is reached. */
    void reached(ClientInfo publisher, long most);
}
