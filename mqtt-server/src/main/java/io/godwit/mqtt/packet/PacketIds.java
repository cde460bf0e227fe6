package io.godwit.mqtt.packet;

/** The bounds of a packet identifier [MQTT5-2.2.1-3]. */
final class PacketIds {
    private PacketIds() {}

    static void check(int packetId) {
        if (packetId < 1 || packetId > 0xFFFF) {
            throw new IllegalArgumentException("packetId must be 1 to 65535, was " + packetId);
        }
    }
}
