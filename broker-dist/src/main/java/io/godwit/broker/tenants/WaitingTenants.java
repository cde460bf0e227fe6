package io.godwit.broker.tenants;

import io.godwit.plugin.client.TenantId;
import java.util.Map;
import java.util.Set;

/** What waits for stored sessions on this node, and how much may. Any thread, at once. */
public interface WaitingTenants {
    /** Of a node without a store. */
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

    /** For whose sessions anything waits here. */
    Set<TenantId> withQueues();

    /** How many bytes may wait here for all sessions of a tenant; of others as many as their settings say. */
    void boundQueues(Map<TenantId, Long> mostBytes);
}
