package io.godwit.mqtt.codec.field;

import io.godwit.mqtt.codec.field.PropertyWriter.Detail;

/**
 * What one peer accepts; from its CONNECT.
 *
 * @param protocolLevel the level of the connection, see {@link io.godwit.mqtt.packet.field.ProtocolLevel}
 * @param maximumPacketSize the largest frame the peer accepts, in bytes
 * @param problemInformation whether the peer accepts reason strings and user properties in every packet
 *     [MQTT5-3.1.2-29]
 */
public record EncodeLimits(int protocolLevel, long maximumPacketSize, boolean problemInformation) {
    /** Whether a frame with this many bytes after its length field may be sent. */
    public boolean accepts(long remainingLength) {
        return remainingLength <= VarInt.MAX
                && 1 + VarInt.length((int) remainingLength) + remainingLength <= maximumPacketSize;
    }

    /** The diagnostics allowed in replies other than CONNACK and DISCONNECT [MQTT5-3.1.2-29]. */
    public Detail replyDetail() {
        return problemInformation ? Detail.FULL : Detail.NONE;
    }
}
