package io.godwit.mqtt.codec;

import static io.godwit.mqtt.packet.field.ReasonCode.MALFORMED_PACKET;
import static io.godwit.mqtt.packet.field.ReasonCode.PACKET_TOO_LARGE;
import static io.godwit.mqtt.packet.field.ReasonCode.PROTOCOL_ERROR;

import io.godwit.mqtt.codec.field.FrameReader;
import io.godwit.mqtt.codec.field.VarInt;
import io.godwit.mqtt.codec.type.AuthCodec;
import io.godwit.mqtt.codec.type.ConnAckCodec;
import io.godwit.mqtt.codec.type.ConnectCodec;
import io.godwit.mqtt.codec.type.DisconnectCodec;
import io.godwit.mqtt.codec.type.PacketCodec;
import io.godwit.mqtt.codec.type.PingReqCodec;
import io.godwit.mqtt.codec.type.PingRespCodec;
import io.godwit.mqtt.codec.type.PubAckCodec;
import io.godwit.mqtt.codec.type.PubCompCodec;
import io.godwit.mqtt.codec.type.PubRecCodec;
import io.godwit.mqtt.codec.type.PubRelCodec;
import io.godwit.mqtt.codec.type.PublishCodec;
import io.godwit.mqtt.codec.type.SubAckCodec;
import io.godwit.mqtt.codec.type.SubscribeCodec;
import io.godwit.mqtt.codec.type.UnsubAckCodec;
import io.godwit.mqtt.codec.type.UnsubscribeCodec;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.field.ProtocolLevel;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the bytes of one connection into packets. Confined to the connection's event loop. After a
 * {@link ProtocolException} the following bytes have no meaning, and the connection must be closed.
 *
 * <p>A server's decoder takes the protocol level from the CONNECT and requires exactly one, as the first packet
 * [MQTT5-3.1.0-1], [MQTT5-3.1.0-2].
 *
 * <p>Type, flags and length of a packet are checked as soon as they arrive, before the rest. A declared length alone
 * allocates nothing.
 */
public final class PacketDecoder {
    private static final int CONNECT = 1;
    private static final int SUBSCRIBE = 8;
    private static final int UNSUBSCRIBE = 10;
    private static final int DISCONNECT = 14;
    private static final int AUTH = 15;

    /**
     * The packet types of a client, as bits: CONNECT, PUBLISH to PUBCOMP, SUBSCRIBE, UNSUBSCRIBE, PINGREQ, DISCONNECT,
     * AUTH.
     */
    private static final int FROM_CLIENT = 0b1101_0101_1111_1010;

    /**
     * The packet types of a server, as bits: CONNACK, PUBLISH to PUBCOMP, SUBACK, UNSUBACK, PINGRESP, DISCONNECT, AUTH.
     */
    private static final int FROM_SERVER = 0b1110_1010_1111_1100;

    /** Distance of a CONNECT's protocol level from the end of the length field. */
    private static final int CONNECT_LEVEL_OFFSET = 6;

    private final int maxPacketBytes;
    private final DecodeLimits limits;
    private final FrameReader reader;

    private PacketDecoder(FrameReader reader, int maxPacketBytes, DecodeLimits limits) {
        this.reader = reader;
        this.maxPacketBytes = maxPacketBytes;
        this.limits = limits;
    }

    /**
     * A decoder for packets of a client.
     *
     * @param maxPacketBytes the largest frame accepted, type and length included
     */
    public static PacketDecoder forServer(int maxPacketBytes) {
        return forServer(maxPacketBytes, DecodeLimits.NONE);
    }

    /** A decoder for packets of an untrusted client. */
    public static PacketDecoder forServer(int maxPacketBytes, DecodeLimits limits) {
        return new PacketDecoder(new FrameReader(true, 0), maxPacketBytes, limits);
    }

    /**
     * A decoder for packets of a server.
     *
     * @param protocolLevel the level of the CONNECT that was sent
     * @param maxPacketBytes the largest frame accepted, type and length included
     */
    public static PacketDecoder forClient(int protocolLevel, int maxPacketBytes) {
        return new PacketDecoder(new FrameReader(false, protocolLevel), maxPacketBytes, DecodeLimits.NONE);
    }

    /**
     * The level to answer in, one of {@link ProtocolLevel}. Known as soon as the CONNECT's level is read, even if the
     * rest of the CONNECT is wrong; the nearest supported one if the level is not supported. 0 before that: a peer that
     * breaks the protocol then is not an MQTT client and gets no answer.
     */
    public int protocolLevel() {
        return reader.protocolLevel();
    }

    /**
     * Decodes the packet at the reader index of {@code in}, which it borrows, and moves the reader index past it.
     *
     * @return null, and the reader index untouched, when the packet is incomplete
     */
    public @Nullable Packet decode(ByteBuf in) {
        int frameBytes = frameBytes(in);
        return frameBytes == 0 || in.readableBytes() < frameBytes ? null : decodeFrame(in, frameBytes);
    }

    /**
     * Size in bytes of the frame at the reader index of {@code in}, which it borrows; 0 when too few bytes have arrived
     * to know.
     */
    int frameBytes(ByteBuf in) {
        if (!in.isReadable()) {
            return 0;
        }
        int start = in.readerIndex();
        checkFirstByte(in.getByte(start) & 0xFF);
        long length = VarInt.read(in, start + 1, in.writerIndex());
        if (length == VarInt.INCOMPLETE) {
            return 0;
        }
        if (length == VarInt.TOO_LONG) { // MQTT 5.0, 1.5.5
            throw new ProtocolException(MALFORMED_PACKET, "remaining length has more than 4 bytes");
        }
        int lengthBytes = VarInt.bytes(length);
        int remaining = VarInt.value(length);
        checkShortest(lengthBytes, remaining);
        int frameBytes = 1 + lengthBytes + remaining;
        if (frameBytes > maxPacketBytes) {
            throw new ProtocolException(
                    PACKET_TOO_LARGE, "packet has " + frameBytes + " bytes, allowed are " + maxPacketBytes);
        }
        if (frameBytes > limits.maxConnectBytes() && (in.getByte(start) & 0xFF) >> 4 == CONNECT) {
            return refuseConnect(in, start + 1 + lengthBytes, frameBytes);
        }
        return frameBytes;
    }

    /**
     * Refuses a CONNECT over the limit. Reads its level first, so that the client gets an answer in its own version.
     *
     * @param body position after the length field
     * @return 0 while the level has not arrived
     */
    private int refuseConnect(ByteBuf in, int body, int frameBytes) {
        int levelAt = body + CONNECT_LEVEL_OFFSET;
        if (levelAt >= in.writerIndex()) {
            return 0;
        }
        int level = in.getByte(levelAt);
        reader.protocolLevel(level == ProtocolLevel.MQTT_5 ? ProtocolLevel.MQTT_5 : ProtocolLevel.MQTT_3_1_1);
        throw new ProtocolException(
                PACKET_TOO_LARGE, "CONNECT has " + frameBytes + " bytes, allowed are " + limits.maxConnectBytes());
    }

    /** Size in bytes of the SUBSCRIBE or UNSUBSCRIBE at the start of {@code in}, if it is complete; else 0. */
    int requestBytes(ByteBuf in) {
        if (!in.isReadable()) {
            return 0;
        }
        int type = (in.getByte(in.readerIndex()) & 0xFF) >> 4;
        if (type != SUBSCRIBE && type != UNSUBSCRIBE) {
            return 0;
        }
        int bytes = frameBytes(in);
        return bytes <= in.readableBytes() ? bytes : 0;
    }

    /**
     * Decodes a complete frame of {@code frameBytes} from {@code in}, which it borrows, and moves the reader index past
     * it.
     */
    Packet decodeFrame(ByteBuf in, int frameBytes) {
        int start = in.readerIndex();
        int first = in.getByte(start) & 0xFF;
        int lengthBytes = 1;
        while (in.getByte(start + lengthBytes) < 0) {
            lengthBytes++;
        }
        PacketCodec<?> codec = codec(first >> 4);
        reader.open(in, start + 1 + lengthBytes, start + frameBytes);
        reader.allowUserProperties(
                first >> 4 == CONNECT ? limits.maxConnectUserProperties() : limits.maxUserProperties());
        reader.allowFilters(limits.maxFilters());
        try {
            Packet packet = codec.decode(reader, first & 0x0F);
            reader.expectEnd(codec.name());
            checkShortest(lengthBytes, frameBytes - 1 - lengthBytes); // a CONNECT sets the level only in decode()
            return packet;
        } finally {
            reader.close();
            in.readerIndex(start + frameBytes);
        }
    }

    private void checkFirstByte(int first) {
        int type = first >> 4;
        int level = reader.protocolLevel();
        boolean fromClient = reader.fromClient();
        if (fromClient && (type == CONNECT) != (level == 0)) { // [MQTT5-3.1.0-1], [MQTT5-3.1.0-2]
            throw new ProtocolException(
                    PROTOCOL_ERROR,
                    level == 0 ? "first packet has type " + type : "a second CONNECT on the connection");
        }
        if (type == 0 || type == AUTH && level != ProtocolLevel.MQTT_5) { // reserved [MQTT311-2.2.1]
            throw new ProtocolException(MALFORMED_PACKET, "packet type " + type + " is reserved");
        }
        int allowed = fromClient ? FROM_CLIENT : FROM_SERVER;
        if ((allowed >> type & 1) == 0 || !fromClient && type == DISCONNECT && level < ProtocolLevel.MQTT_5) {
            throw new ProtocolException(
                    PROTOCOL_ERROR,
                    "a " + (fromClient ? "client" : "server") + " sends no "
                            + codec(type).name());
        }
        PacketCodec<?> codec = codec(type);
        if (!codec.allowsFlags(first & 0x0F, level)) { // [MQTT5-2.1.3-1], [MQTT311-2.2.2-2]
            throw new ProtocolException(MALFORMED_PACKET, codec.name() + " has flags " + (first & 0x0F));
        }
    }

    /** MQTT 5.0 requires the shortest form [MQTT5-1.5.5-1]; earlier versions do not, and some clients pad. */
    private void checkShortest(int lengthBytes, int remaining) {
        if (lengthBytes > VarInt.length(remaining) && reader.isMqtt5()) {
            throw new ProtocolException(MALFORMED_PACKET, "remaining length is longer than needed");
        }
    }

    private static PacketCodec<?> codec(int type) {
        return switch (type) {
            case CONNECT -> ConnectCodec.INSTANCE;
            case 2 -> ConnAckCodec.INSTANCE;
            case PublishCodec.TYPE -> PublishCodec.INSTANCE;
            case 4 -> PubAckCodec.INSTANCE;
            case 5 -> PubRecCodec.INSTANCE;
            case 6 -> PubRelCodec.INSTANCE;
            case 7 -> PubCompCodec.INSTANCE;
            case 8 -> SubscribeCodec.INSTANCE;
            case 9 -> SubAckCodec.INSTANCE;
            case 10 -> UnsubscribeCodec.INSTANCE;
            case 11 -> UnsubAckCodec.INSTANCE;
            case 12 -> PingReqCodec.INSTANCE;
            case 13 -> PingRespCodec.INSTANCE;
            case DISCONNECT -> DisconnectCodec.INSTANCE;
            case AUTH -> AuthCodec.INSTANCE;
            default -> throw new IllegalArgumentException("packet type must be 1 to 15, was " + type);
        };
    }
}
