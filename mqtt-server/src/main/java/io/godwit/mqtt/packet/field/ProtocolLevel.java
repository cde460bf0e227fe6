package io.godwit.mqtt.packet.field;

/** The protocol levels a CONNECT can name [MQTT5-3.1.2-2], [MQTT311-3.1.2-2]. */
public final class ProtocolLevel {
    /** MQTT 3.1, protocol name {@code MQIsdp}. */
    public static final int MQTT_3_1 = 3;

    public static final int MQTT_3_1_1 = 4;
    public static final int MQTT_5 = 5;

    private ProtocolLevel() {}
}
