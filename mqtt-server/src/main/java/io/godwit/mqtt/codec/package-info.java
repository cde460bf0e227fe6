/**
 * The wire format of MQTT 3.1, 3.1.1 and 5.0: bytes to packets and back, strictly.
 *
 * <p>Inbound, a {@link io.godwit.mqtt.codec.PacketReadHandler} cuts what arrives into frames and a
 * {@link io.godwit.mqtt.codec.PacketDecoder} turns each into a packet. Outbound, a
 * {@link io.godwit.mqtt.codec.PacketEncoder} appends packets to a buffer that its caller owns, and an
 * {@link io.godwit.mqtt.codec.EncodedPublish} is one message laid out once for many receivers. There is a codec class
 * per packet; whoever looks for a rule of a packet finds it there.
 *
 * <p>Which reason code a fault gets: bytes that cannot be parsed by the rules of their packet are malformed (0x81),
 * bytes that can be parsed and say what is not allowed are a protocol error (0x82), unless a code names the very thing.
 */
@NullMarked
package io.godwit.mqtt.codec;

import org.jspecify.annotations.NullMarked;
