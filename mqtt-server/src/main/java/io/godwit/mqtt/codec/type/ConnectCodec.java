package io.godwit.mqtt.codec.type;

import static io.godwit.mqtt.packet.field.ReasonCode.CLIENT_IDENTIFIER_NOT_VALID;
import static io.godwit.mqtt.packet.field.ReasonCode.MALFORMED_PACKET;
import static io.godwit.mqtt.packet.field.ReasonCode.PROTOCOL_ERROR;
import static io.godwit.mqtt.packet.field.ReasonCode.UNSUPPORTED_PROTOCOL_VERSION;

import io.godwit.mqtt.codec.field.FrameReader;
import io.godwit.mqtt.codec.field.PropertyId;
import io.godwit.mqtt.codec.field.PropertyWriter;
import io.godwit.mqtt.codec.field.VarInt;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.field.ProtocolLevel;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.WillPacket;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.message.UserProperty;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/**
 * CONNECT (MQTT 5.0 and 3.1.1, 3.1): protocol name and level, flags, keep alive, properties; then client identifier,
 * will properties, will topic, will payload, user name and password, each if the flags announce it [MQTT5-3.1.3-1].
 *
 * <p>The level is passed to the {@link FrameReader} as soon as it is read, so that a fault in the rest can be answered
 * in the client's version.
 */
public final class ConnectCodec extends PacketCodec<Connect> {
    public static final ConnectCodec INSTANCE = new ConnectCodec();

    private static final String NAME_3_1 = "MQIsdp";
    private static final String NAME_LATER = "MQTT";

    private static final int RESERVED = 0x01;
    private static final int CLEAN_START = 0x02;
    private static final int WILL = 0x04;
    private static final int WILL_QOS_SHIFT = 3;
    private static final int WILL_QOS_AND_RETAIN = 0x38;
    private static final int WILL_RETAIN = 0x20;
    private static final int PASSWORD = 0x40;
    private static final int USER_NAME = 0x80;

    private static final long ALLOWED = PropertyId.set(
            PropertyId.SESSION_EXPIRY_INTERVAL,
            PropertyId.RECEIVE_MAXIMUM,
            PropertyId.MAXIMUM_PACKET_SIZE,
            PropertyId.TOPIC_ALIAS_MAXIMUM,
            PropertyId.REQUEST_RESPONSE_INFORMATION,
            PropertyId.REQUEST_PROBLEM_INFORMATION,
            PropertyId.USER_PROPERTY,
            PropertyId.AUTHENTICATION_METHOD,
            PropertyId.AUTHENTICATION_DATA);
    private static final long ALLOWED_IN_WILL =
            MessagePropertiesCodec.ALLOWED | PropertyId.set(PropertyId.WILL_DELAY_INTERVAL);

    private ConnectCodec() {
        super(1, 0, "CONNECT");
    }

    @Override
    public Connect decode(FrameReader in, int flags) {
        int level = readProtocolLevel(in);
        in.protocolLevel(level);
        int connectFlags = in.readU8();
        checkFlags(connectFlags, level);
        boolean cleanStart = (connectFlags & CLEAN_START) != 0;
        int keepAliveSeconds = in.readU16();

        long sessionExpirySeconds = -1;
        int receiveMaximum = -1;
        long maximumPacketSize = -1;
        int topicAliasMaximum = -1;
        boolean requestResponseInformation = false;
        boolean requestProblemInformation = true;
        List<UserProperty> userProperties = new ArrayList<>(0);
        String authenticationMethod = null;
        byte[] authenticationData = null;
        if (in.isMqtt5()) {
            in.beginProperties();
            for (int id; (id = in.nextProperty(ALLOWED, name())) != 0; ) {
                switch (id) {
                    case PropertyId.SESSION_EXPIRY_INTERVAL -> sessionExpirySeconds = in.readU32();
                    case PropertyId.RECEIVE_MAXIMUM -> receiveMaximum = in.readNonZeroU16("receive maximum");
                    case PropertyId.MAXIMUM_PACKET_SIZE -> maximumPacketSize = in.readNonZeroU32("maximum packet size");
                    case PropertyId.TOPIC_ALIAS_MAXIMUM -> topicAliasMaximum = in.readU16();
                    case PropertyId.REQUEST_RESPONSE_INFORMATION ->
                        requestResponseInformation = in.readBoolean("request response information");
                    case PropertyId.REQUEST_PROBLEM_INFORMATION ->
                        requestProblemInformation = in.readBoolean("request problem information");
                    case PropertyId.AUTHENTICATION_METHOD -> authenticationMethod = in.readString();
                    case PropertyId.AUTHENTICATION_DATA -> authenticationData = in.readBinary();
                    default -> userProperties.add(in.readUserProperty());
                }
            }
            if (authenticationData != null && authenticationMethod == null) { // MQTT 5.0, 3.1.2.11.10
                throw new ProtocolException(PROTOCOL_ERROR, "CONNECT has authentication data without a method");
            }
        }

        String clientId = in.readString();
        checkClientId(clientId, cleanStart, level);
        WillPacket will = (connectFlags & WILL) != 0 ? readWill(in, connectFlags) : null;
        String userName = (connectFlags & USER_NAME) != 0 && hasField(in) ? in.readString() : null;
        byte[] password = (connectFlags & PASSWORD) != 0 && hasField(in) ? in.readBinary() : null;
        return new Connect(
                level,
                cleanStart,
                keepAliveSeconds,
                clientId,
                userName,
                password,
                will,
                sessionExpirySeconds,
                receiveMaximum,
                maximumPacketSize,
                topicAliasMaximum,
                requestResponseInformation,
                requestProblemInformation,
                userProperties,
                authenticationMethod,
                authenticationData);
    }

    /** The level, if the broker supports this name and level [MQTT5-3.1.2-1], [MQTT5-3.1.2-2], [MQTT311-3.1.2-2]. */
    private static int readProtocolLevel(FrameReader in) {
        String name = in.readString();
        boolean later = name.equals(NAME_LATER);
        if (!later && !name.equals(NAME_3_1)) {
            throw new ProtocolException(UNSUPPORTED_PROTOCOL_VERSION, "protocol name is neither MQTT nor MQIsdp");
        }
        int level = in.readU8();
        boolean known = later
                ? level == ProtocolLevel.MQTT_3_1_1 || level == ProtocolLevel.MQTT_5
                : level == ProtocolLevel.MQTT_3_1;
        if (!known) {
            // answered in the version nearest to the requested one: 0x84 above 5, return code 1 below
            in.protocolLevel(later && level > ProtocolLevel.MQTT_5 ? ProtocolLevel.MQTT_5 : ProtocolLevel.MQTT_3_1_1);
            throw new ProtocolException(UNSUPPORTED_PROTOCOL_VERSION, "protocol is " + name + " level " + level);
        }
        return level;
    }

    private static void checkFlags(int flags, int level) {
        if ((flags & WILL) != 0 && (flags >> WILL_QOS_SHIFT & 3) == 3) { // [MQTT5-3.1.2-12], [MQTT311-3.1.2-14]
            throw new ProtocolException(MALFORMED_PACKET, "will QoS is 3");
        }
        if (level == ProtocolLevel.MQTT_3_1) {
            return; // MQTT 3.1 ignores bits that it does not use
        }
        if ((flags & RESERVED) != 0) { // [MQTT5-3.1.2-3], [MQTT311-3.1.2-3]
            throw new ProtocolException(MALFORMED_PACKET, "reserved bit of the connect flags is set");
        }
        if ((flags & WILL) == 0 && (flags & WILL_QOS_AND_RETAIN) != 0) {
            // [MQTT5-3.1.2-11], [MQTT5-3.1.2-13], [MQTT311-3.1.2-13], [MQTT311-3.1.2-15]
            throw new ProtocolException(MALFORMED_PACKET, "will QoS or will retain is set without a will");
        }
        if (level == ProtocolLevel.MQTT_3_1_1 && (flags & PASSWORD) != 0 && (flags & USER_NAME) == 0) {
            throw new ProtocolException(MALFORMED_PACKET, "password without a user name"); // [MQTT311-3.1.2-22]
        }
    }

    private static void checkClientId(String clientId, boolean cleanStart, int level) {
        if (!clientId.isEmpty()) {
            return; // MQTT 3.1 allows at most 23 characters, a limit that most clients have dropped
        }
        boolean allowed = level == ProtocolLevel.MQTT_5 || level == ProtocolLevel.MQTT_3_1_1 && cleanStart;
        if (!allowed) { // [MQTT311-3.1.3-8]; MQTT 3.1 requires at least one character
            throw new ProtocolException(CLIENT_IDENTIFIER_NOT_VALID, "client identifier is empty");
        }
    }

    /** MQTT 3.1 lets a packet end before fields that its flags announce; later versions do not. */
    private static boolean hasField(FrameReader in) {
        return in.protocolLevel() != ProtocolLevel.MQTT_3_1 || in.remaining() > 0;
    }

    private WillPacket readWill(FrameReader in, int flags) {
        MessageProperties properties = MessageProperties.NONE;
        long delaySeconds = 0;
        if (in.isMqtt5()) {
            MessagePropertiesCodec message = null;
            in.beginProperties();
            for (int id; (id = in.nextProperty(ALLOWED_IN_WILL, "will")) != 0; ) {
                if (id == PropertyId.WILL_DELAY_INTERVAL) {
                    delaySeconds = in.readU32();
                } else {
                    message = message == null ? new MessagePropertiesCodec() : message;
                    message.read(id, in);
                }
            }
            properties = message == null ? properties : message.build();
        }
        String topic = in.readTopicName();
        if (topic.isEmpty()) { // [MQTT5-4.7.3-1], [MQTT311-4.7.3-1]
            throw new ProtocolException(ReasonCode.TOPIC_NAME_INVALID, "will topic is empty");
        }
        Qos qos = Qos.of(flags >> WILL_QOS_SHIFT & 3);
        return new WillPacket(topic, in.readBinary(), qos, (flags & WILL_RETAIN) != 0, properties, delaySeconds);
    }

    @Override
    void properties(Connect packet, PropertyWriter out) {
        out.u32(PropertyId.SESSION_EXPIRY_INTERVAL, packet.sessionExpirySeconds());
        out.u16(PropertyId.RECEIVE_MAXIMUM, packet.receiveMaximum());
        out.u32(PropertyId.MAXIMUM_PACKET_SIZE, packet.maximumPacketSize());
        out.u16(PropertyId.TOPIC_ALIAS_MAXIMUM, packet.topicAliasMaximum());
        out.flag(PropertyId.REQUEST_RESPONSE_INFORMATION, packet.requestResponseInformation(), false);
        out.flag(PropertyId.REQUEST_PROBLEM_INFORMATION, packet.requestProblemInformation(), true);
        out.userProperties(packet.userProperties());
        out.string(PropertyId.AUTHENTICATION_METHOD, packet.authenticationMethod());
        out.binary(PropertyId.AUTHENTICATION_DATA, packet.authenticationData());
    }

    @Override
    int headLength(Connect packet, int protocolLevel, int propertiesLength) {
        return PropertyWriter.stringLength(protocolName(packet)) + 4;
    }

    @Override
    void writeHead(Connect packet, int protocolLevel, int propertiesLength, ByteBuf out) {
        PropertyWriter.writeString(out, protocolName(packet));
        out.writeByte(packet.protocolLevel());
        out.writeByte(connectFlags(packet));
        out.writeShort(packet.keepAliveSeconds());
    }

    @Override
    int tailLength(Connect packet, int protocolLevel) {
        int length = PropertyWriter.stringLength(packet.clientId());
        WillPacket will = packet.will();
        if (will != null) {
            if (protocolLevel >= ProtocolLevel.MQTT_5) {
                int properties = writeWillProperties(will, PropertyWriter.measuring(PropertyWriter.Detail.FULL));
                length += VarInt.length(properties) + properties;
            }
            length += PropertyWriter.stringLength(will.topic()) + PropertyWriter.binaryLength(will.payload());
        }
        length += packet.userName() == null ? 0 : PropertyWriter.stringLength(packet.userName());
        length += packet.password() == null ? 0 : PropertyWriter.binaryLength(packet.password());
        return length;
    }

    @Override
    void writeTail(Connect packet, int protocolLevel, ByteBuf out) {
        PropertyWriter.writeString(out, packet.clientId());
        WillPacket will = packet.will();
        if (will != null) {
            if (protocolLevel >= ProtocolLevel.MQTT_5) {
                VarInt.write(out, writeWillProperties(will, PropertyWriter.measuring(PropertyWriter.Detail.FULL)));
                writeWillProperties(will, PropertyWriter.appending(out, PropertyWriter.Detail.FULL));
            }
            PropertyWriter.writeString(out, will.topic());
            PropertyWriter.writeBinary(out, will.payload());
        }
        if (packet.userName() != null) {
            PropertyWriter.writeString(out, packet.userName());
        }
        if (packet.password() != null) {
            PropertyWriter.writeBinary(out, packet.password());
        }
    }

    private static int writeWillProperties(WillPacket will, PropertyWriter out) {
        out.u32(PropertyId.WILL_DELAY_INTERVAL, will.delaySeconds() == 0 ? -1 : will.delaySeconds());
        MessagePropertiesCodec.write(will.properties(), will.properties().messageExpirySeconds(), out);
        return out.length();
    }

    private static String protocolName(Connect packet) {
        return packet.protocolLevel() == ProtocolLevel.MQTT_3_1 ? NAME_3_1 : NAME_LATER;
    }

    private static int connectFlags(Connect packet) {
        int flags = packet.cleanStart() ? CLEAN_START : 0;
        WillPacket will = packet.will();
        if (will != null) {
            flags |= WILL | will.qos().value() << WILL_QOS_SHIFT | (will.retain() ? WILL_RETAIN : 0);
        }
        flags |= packet.userName() == null ? 0 : USER_NAME;
        flags |= packet.password() == null ? 0 : PASSWORD;
        return flags;
    }
}
