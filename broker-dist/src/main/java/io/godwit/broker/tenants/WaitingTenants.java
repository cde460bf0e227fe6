package io.godwit.broker.tenants;

import io.godwit.plugin.client.TenantId;
import java.util.Map;
import java.util.Set;

/** The messages that wait for stored sessions on this node, and their limits. Any thread, at once. */
public interface WaitingTenants {
    /** For a node without a store. */
    WaitingTenants NONE = new WaitingTenants() {
        @Override
        public Set<TenantId> withQueues() {
            return Set.of();
        }

        @Override
        public void boundQueues(Map<TenantId, Long> mostBytes) {
            // nothing waits
        }
    };

    /** The tenants with messages that wait here. */
    Set<TenantId> withQueues();

    /**
     * Sets how many bytes may wait here for all sessions of a tenant. Tenants that are not in the map have the limit of
     * their settings.
     */
    void boundQueues(Map<TenantId, Long> mostBytes);
}
