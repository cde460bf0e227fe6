package io.godwit.plugin.message;

import java.util.Objects;

/** A name-value pair passed through unchanged and in order [MQTT5-3.3.2-17]. Names may repeat. */
public record UserProperty(String name, String value) {
    /** @throws NullPointerException without a name or a value: MQTT cannot carry that */
    public UserProperty {
        Objects.requireNonNull(name, "name of a user property");
        Objects.requireNonNull(value, "value of a user property");
    }
}
