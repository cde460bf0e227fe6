package io.godwit.plugin.message;

/** A name-value pair passed through unchanged and in order [MQTT5-3.3.2-17]. Names may repeat. */
public record UserProperty(String name, String value) {}
