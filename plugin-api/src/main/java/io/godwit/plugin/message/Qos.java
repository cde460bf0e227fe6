package io.godwit.plugin.message;

/** Quality of service of a message or subscription [MQTT5-4.3]. */
public enum Qos {
    AT_MOST_ONCE,
    AT_LEAST_ONCE,
    EXACTLY_ONCE;

    private static final Qos[] BY_VALUE = values();

    /** The two-bit value on the wire, 0 to 2. */
    public int value() {
        return ordinal();
    }

    /** The QoS of a wire value. Fails with {@link IllegalArgumentException} unless it is 0, 1 or 2. */
    public static Qos of(int value) {
        if (value < 0 || value > 2) {
            throw new IllegalArgumentException("QoS must be 0, 1 or 2, was " + value);
        }
        return BY_VALUE[value];
    }

    /** The lower of two, as a delivery uses it: published QoS against granted QoS [MQTT5-3.8.4-8]. */
    public static Qos min(Qos a, Qos b) {
        return a.ordinal() <= b.ordinal() ? a : b;
    }
}
