package io.godwit.mqtt.packet.field;

import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;

/**
 * The will in a CONNECT: not a packet of its own, but the message to publish when the connection ends without a
 * DISCONNECT.
 *
 * @param topic a valid topic name
 * @param payload shared, never modified
 * @param delaySeconds 0 to 4,294,967,295; 0 also when the property is absent, which means the same
 */
@SuppressWarnings("ArrayRecordComponent") // shared by contract, compared nowhere
public record WillPacket(
        String topic, byte[] payload, Qos qos, boolean retain, MessageProperties properties, long delaySeconds) {}
