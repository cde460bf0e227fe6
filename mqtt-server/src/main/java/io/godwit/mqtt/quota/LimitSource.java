package io.godwit.mqtt.quota;

import io.godwit.plugin.client.TenantId;

/** Says how much of each resource a tenant may use on this node. */
@FunctionalInterface
public interface LimitSource {
    /**
     * Any thread; returns at once.
     *
     * @param most by {@link io.godwit.plugin.throttle.TenantResource#ordinal} what the settings of the tenant say,
     *     {@link TenantAccount#ANY} for no limit; may be changed and returned
     */
    long[] most(TenantId tenant, long[] most);
}
