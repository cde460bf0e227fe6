package io.godwit.mqtt.top;

/**
 * A client or a topic of a tenant. A longer name is cut to {@link #MAX_NAME} characters, so that clients cannot fill
 * the memory with names.
 */
public record TrafficKey(String tenant, String name) implements Comparable<TrafficKey> {
    public static final int MAX_NAME = 512;

    public TrafficKey {
        if (name.length() > MAX_NAME) {
            name = name.substring(0, MAX_NAME);
        }
    }

    @Override
    public int compareTo(TrafficKey other) {
        int byTenant = tenant.compareTo(other.tenant);
        return byTenant != 0 ? byTenant : name.compareTo(other.name);
    }
}
