package io.godwit.plugin.tenant;

import io.godwit.plugin.client.TenantId;

/** Reports changes from a {@link TenantSettingsProvider} to the broker. Any thread; calls return at once. */
public interface TenantChanges {
    /**
     * An earlier answer about {@code tenant} no longer holds. The broker asks again if it has asked before, and applies
     * the answer to connected clients as {@link TenantSetting#reach} says. Several calls before that request count as
     * one.
     */
    void changed(TenantId tenant);

    /** The same for all tenants. */
    void changed();
}
