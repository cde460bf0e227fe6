package io.godwit.plugin.client;

/**
 * The client identifier of a session, unique within its tenant; 1 to 65,535 bytes of UTF-8 [MQTT5-3.1.3-3].
 *
 * <p>Ordered by its characters: clients choose ids with colliding hash codes, and a hash map searches such keys in
 * logarithmic time only when they can be compared.
 */
public record ClientId(String value) implements Comparable<ClientId> {
    public ClientId {
        if (value.isEmpty()) {
            throw new IllegalArgumentException("a client id is not empty (the broker assigns one before this point)");
        }
    }

    @Override
    public int compareTo(ClientId other) {
        return value.compareTo(other.value);
    }
}
