package io.godwit.mqtt.packet.field;

/**
 * Which retained messages a SUBSCRIBE requests; the order of the constants is their wire value [MQTT5-3.3.1-9] to
 * [MQTT5-3.3.1-11].
 */
public enum RetainHandling {
    SEND,
    SEND_IF_NEW,
    DO_NOT_SEND;

    private static final RetainHandling[] BY_VALUE = values();

    /** The two-bit value on the wire, 0 to 2. */
    public int value() {
        return ordinal();
    }

    /** The constant of a wire value. Fails with {@link IllegalArgumentException} unless it is 0, 1 or 2. */
    public static RetainHandling of(int value) {
        if (value < 0 || value > 2) {
            throw new IllegalArgumentException("retain handling must be 0, 1 or 2, was " + value);
        }
        return BY_VALUE[value];
    }
}
