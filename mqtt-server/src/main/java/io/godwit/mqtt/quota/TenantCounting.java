package io.godwit.mqtt.quota;

import io.godwit.plugin.client.TenantId;
import org.jspecify.annotations.Nullable;

/** Decides which tenants are counted. */
public interface TenantCounting {
    /** Counts no tenant. */
    TenantCounting NONE = tenant -> null;

    /** The counts for a tenant; null if it is not counted. Any thread, event loops too: does not block. */
    @Nullable
    TenantCounts of(TenantId tenant);

    /** Called at least once a second, not on an event loop. */
    default void tick() {}
}
