package io.godwit.mqtt.tenant;

import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.tenant.TenantSettings;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The policy of each tenant, for one configuration of the node. Any thread. */
public final class TenantPolicies {
    private final TenantPolicy ofNode;
    private final Tenants tenants;

    /** Only tenants with settings, so no more than those. Two loops may make one at once; either is valid. */
    private final ConcurrentMap<TenantId, Made> made = new ConcurrentHashMap<>();

    /** @param of the settings that the policy was made from */
    private record Made(TenantSettings of, TenantPolicy policy) {}

    /** @param ofNode the policy of tenants without settings */
    public TenantPolicies(TenantPolicy ofNode, Tenants tenants) {
        this.ofNode = ofNode;
        this.tenants = tenants;
    }

    /** The policy of a tenant; the same object until something changes. */
    @SuppressWarnings("ReferenceEquality") // a change always brings a new object
    public TenantPolicy of(TenantId tenant) {
        TenantSettings said = tenants.of(tenant);
        if (said == null) {
            made.remove(tenant);
            return ofNode;
        }
        Made present = made.get(tenant);
        if (present == null || present.of() != said) {
            present = new Made(said, said.values().isEmpty() ? ofNode : ofNode.with(said));
            made.put(tenant, present);
        }
        return present.policy();
    }

    /** The settings that the policies are made from. */
    public Tenants tenants() {
        return tenants;
    }
}
