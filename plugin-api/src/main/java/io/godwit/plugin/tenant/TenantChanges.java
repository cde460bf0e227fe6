package io.godwit.plugin.tenant;

import io.godwit.plugin.client.TenantId;

/** Takes word of changes from a {@link TenantSettingsProvider}. Any thread; calls return at once. */
public interface TenantChanges {
    /**
     * An earlier answer about {@code tenant} no longer holds: it is asked for anew, if it was ever asked for, and the
     * answer reaches connected clients as {@link TenantSetting#reach} says. Many calls before the question count as
     * one.
     */
    void changed(TenantId tenant);

    /** The same for all tenants. */
    void changed();
}
