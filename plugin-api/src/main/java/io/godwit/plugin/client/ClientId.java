package io.godwit.plugin.client;

/** The client identifier of a session, unique within its tenant; 1 to 65,535 bytes of UTF-8 [MQTT5-3.1.3-3]. */
public record ClientId(String value) {
    public ClientId {
        if (value.isEmpty()) {
            throw new IllegalArgumentException("a client id is not empty (the broker assigns one before this point)");
        }
    }
}
