package io.godwit.mqtt.tenant;

import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.tenant.TenantSettings;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** What holds for each tenant, on one configuration of the node. Any thread. */
public final class TenantPolicies {
    private final TenantPolicy ofNode;
    private final Tenants tenants;

    /** Of tenants of which something is said, so no more than they. Two loops may make one at once; either will do. */
    private final ConcurrentMap<TenantId, Made> made = new ConcurrentHashMap<>();

    /** @param of what it is made of */
    private record Made(TenantSettings of, TenantPolicy policy) {}

    /** @param ofNode for those of which nothing is said */
    public TenantPolicies(TenantPolicy ofNode, Tenants tenants) {
        this.ofNode = ofNode;
        this.tenants = tenants;
    }

    /** The same object until something changes. */
    @SuppressWarnings("ReferenceEquality") // there is one object for each change
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

    /** What they are made of, to make others. */
    public Tenants tenants() {
        return tenants;
    }
}
