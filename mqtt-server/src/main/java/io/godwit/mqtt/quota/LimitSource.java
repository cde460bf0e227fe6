package io.godwit.mqtt.quota;

import io.godwit.plugin.client.TenantId;

/** Determines how much of each resource a tenant may use on this node. */
@FunctionalInterface
public interface LimitSource {
    /**
     * Any thread; returns at once.
     *
     * @param most the limits of the tenant's settings, by {@link io.godwit.plugin.throttle.TenantResource#ordinal};
     *     {@link TenantAccount#ANY} for no limit; may be changed and returned
     */
    long[] most(TenantId tenant, long[] most);
}
