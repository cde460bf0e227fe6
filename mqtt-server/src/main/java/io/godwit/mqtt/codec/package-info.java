/**
 * The wire format of MQTT 3.1, 3.1.1 and 5.0: bytes to packets and back, strictly.
 *
 * <p>Inbound, a {@link io.godwit.mqtt.codec.PacketReadHandler} splits the bytes into frames and a
 * {@link io.godwit.mqtt.codec.PacketDecoder} turns each into a packet. Outbound, a
 * {@link io.godwit.mqtt.codec.PacketEncoder} appends packets to a buffer that its caller owns, and an
 * {@link io.godwit.mqtt.codec.EncodedPublish} is one message encoded once for many receivers. Each packet has a codec
 * class in {@code type}, which holds the rules of that packet; {@code field} has the fields that packets consist of.
 *
 * <p>Reason codes of faults: bytes that cannot be parsed are malformed (0x81); bytes that can be parsed but are not
 * allowed are a protocol error (0x82), unless a more specific code exists.
 */
@NullMarked
package io.godwit.mqtt.codec;

import org.jspecify.annotations.NullMarked;
