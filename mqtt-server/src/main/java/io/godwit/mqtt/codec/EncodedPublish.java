package io.godwit.mqtt.codec;

import io.godwit.mqtt.codec.field.PropertyWriter;
import io.godwit.mqtt.codec.field.PropertyWriter.Detail;
import io.godwit.mqtt.codec.field.VarInt;
import io.godwit.mqtt.codec.type.MessagePropertiesCodec;
import io.godwit.mqtt.codec.type.PublishCodec;
import io.godwit.mqtt.packet.field.ProtocolLevel;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * One message as a PUBLISH frame for many receivers: encoded once for a protocol level, QoS and RETAIN flag, then
 * copied into each receiver's outbound buffer with its own packet identifier and DUP flag. For receivers without topic
 * alias and subscription identifiers. Immutable heap data: may be shared between threads and needs no release.
 */
public final class EncodedPublish {
    /**
     * Up to this size the payload is part of {@link #head}, so that a receiver costs one copy; a larger one is not
     * stored twice.
     */
    private static final int MAX_JOINED_BYTES = 4096;

    private static final byte[] UNSENDABLE = {};

    private final boolean mqtt5;
    private final long frameBytes;
    private final byte[] head;
    /** Position of the packet identifier in {@link #head}; 0 at QoS 0, which has none. */
    private final int packetIdAt;
    /** Bytes after {@link #head}: the payload of a large message. */
    private final byte @Nullable [] payload;

    private EncodedPublish(boolean mqtt5, long frameBytes, byte[] head, int packetIdAt, byte @Nullable [] payload) {
        this.mqtt5 = mqtt5;
        this.frameBytes = frameBytes;
        this.head = head;
        this.packetIdAt = packetIdAt;
        this.payload = payload;
    }

    /**
     * Encodes {@code message}.
     *
     * @param qos of the delivery, not of the message
     * @param retain the RETAIN flag of the delivery
     * @param protocolLevel of the receivers; 3 and 4 have the same frames
     * @param nowMillis wall clock, from which the remaining message expiry is computed [MQTT5-3.3.2-6]
     */
    public static EncodedPublish of(Message message, Qos qos, boolean retain, int protocolLevel, long nowMillis) {
        boolean mqtt5 = protocolLevel >= ProtocolLevel.MQTT_5;
        MessageProperties properties = message.properties();
        long expirySeconds = message.remainingExpirySeconds(nowMillis);
        int propertiesLength = 0;
        if (mqtt5) {
            PropertyWriter measured = PropertyWriter.measuring(Detail.FULL);
            MessagePropertiesCodec.write(properties, expirySeconds, measured);
            propertiesLength = measured.length();
        }
        byte[] payload = message.payload();
        int topicLength = PropertyWriter.stringLength(message.topic());
        int idLength = qos == Qos.AT_MOST_ONCE ? 0 : 2;
        int blockLength = mqtt5 ? VarInt.length(propertiesLength) + propertiesLength : 0;
        long remaining = (long) topicLength + idLength + blockLength + payload.length;
        if (remaining > VarInt.MAX) {
            return new EncodedPublish(mqtt5, Long.MAX_VALUE, UNSENDABLE, 0, null);
        }
        int fixedLength = 1 + VarInt.length((int) remaining);
        boolean joined = payload.length <= MAX_JOINED_BYTES;
        byte[] head = new byte[fixedLength + topicLength + idLength + blockLength + (joined ? payload.length : 0)];
        ByteBuf out = Unpooled.wrappedBuffer(head).clear();
        out.writeByte(PublishCodec.TYPE << 4 | PublishCodec.flags(false, qos, retain));
        VarInt.write(out, (int) remaining);
        PropertyWriter.writeString(out, message.topic());
        int packetIdAt = idLength == 0 ? 0 : out.writerIndex();
        out.writeZero(idLength);
        if (mqtt5) {
            VarInt.write(out, propertiesLength);
            if (propertiesLength > 0) {
                MessagePropertiesCodec.write(properties, expirySeconds, PropertyWriter.appending(out, Detail.FULL));
            }
        }
        if (joined) {
            out.writeBytes(payload);
        }
        return new EncodedPublish(mqtt5, fixedLength + remaining, head, packetIdAt, joined ? null : payload);
    }

    /** Size of the frame in bytes; {@link Long#MAX_VALUE} when it would be larger than the protocol allows. */
    public long size() {
        return frameBytes;
    }

    /** Whether it is encoded for this level. */
    boolean isFor(int protocolLevel) {
        return mqtt5 == (protocolLevel >= ProtocolLevel.MQTT_5);
    }

    /** Appends the frame to {@code out}, which it borrows. */
    void appendTo(ByteBuf out, int packetId, boolean dup) {
        int start = out.writerIndex();
        out.writeBytes(head);
        if (payload != null) {
            out.writeBytes(payload);
        }
        if (packetIdAt != 0) {
            out.setShort(start + packetIdAt, packetId);
            if (dup) {
                out.setByte(start, head[0] | PublishCodec.DUP);
            }
        }
    }
}
