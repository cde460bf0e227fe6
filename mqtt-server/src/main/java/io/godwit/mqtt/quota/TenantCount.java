package io.godwit.mqtt.quota;

import io.micrometer.core.instrument.binder.BaseUnits;
import org.jspecify.annotations.Nullable;

/** The counts of a tenant. They begin when a client has its session. */
public enum TenantCount {
    PUBLISHES_IN("publishes.in", null, "PUBLISH packets that clients of the tenant sent"),
    PUBLISHES_OUT("publishes.out", null, "PUBLISH packets sent to clients of the tenant"),
    BYTES_IN("received.bytes", BaseUnits.BYTES, "bytes that clients of the tenant sent, as MQTT has them"),
    BYTES_OUT("sent.bytes", BaseUnits.BYTES, "bytes sent to clients of the tenant, as MQTT has them"),
    DROPPED(
            "messages.dropped",
            null,
            "messages that sessions of the tenant do not get: live ones here, and stored ones that this node leads"),
    THROTTLED("throttlings", null, "times that a connection of the tenant began to be held back");

    private final String meter;
    private final @Nullable String unit;
    private final String description;

    TenantCount(String meter, @Nullable String unit, String description) {
        this.meter = meter;
        this.unit = unit;
        this.description = description;
    }

    String meter() {
        return meter;
    }

    @Nullable
    String unit() {
        return unit;
    }

    String description() {
        return description;
    }
}
