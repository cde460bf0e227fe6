package io.godwit.mqtt.codec.type;

import static io.godwit.mqtt.packet.field.ReasonCode.MALFORMED_PACKET;
import static io.godwit.mqtt.packet.field.ReasonCode.PROTOCOL_ERROR;

import io.godwit.mqtt.codec.field.FrameReader;
import io.godwit.mqtt.codec.field.PropertyId;
import io.godwit.mqtt.codec.field.PropertyWriter;
import io.godwit.mqtt.packet.ConnAck;
import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.field.ProtocolLevel;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.UserProperty;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** CONNACK (MQTT 5.0 and 3.1.1, 3.2): acknowledge flags, reason or return code, properties. */
public final class ConnAckCodec extends PacketCodec<ConnAck> {
    public static final ConnAckCodec INSTANCE = new ConnAckCodec();

    private static final int SESSION_PRESENT = 1;

    /** [MQTT5-3.2.2-8]. */
    private static final Set<ReasonCode> REASON_CODES = EnumSet.of(
            ReasonCode.SUCCESS,
            ReasonCode.UNSPECIFIED_ERROR,
            ReasonCode.MALFORMED_PACKET,
            ReasonCode.PROTOCOL_ERROR,
            ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR,
            ReasonCode.UNSUPPORTED_PROTOCOL_VERSION,
            ReasonCode.CLIENT_IDENTIFIER_NOT_VALID,
            ReasonCode.BAD_USER_NAME_OR_PASSWORD,
            ReasonCode.NOT_AUTHORIZED,
            ReasonCode.SERVER_UNAVAILABLE,
            ReasonCode.SERVER_BUSY,
            ReasonCode.BANNED,
            ReasonCode.BAD_AUTHENTICATION_METHOD,
            ReasonCode.TOPIC_NAME_INVALID,
            ReasonCode.PACKET_TOO_LARGE,
            ReasonCode.QUOTA_EXCEEDED,
            ReasonCode.PAYLOAD_FORMAT_INVALID,
            ReasonCode.RETAIN_NOT_SUPPORTED,
            ReasonCode.QOS_NOT_SUPPORTED,
            ReasonCode.USE_ANOTHER_SERVER,
            ReasonCode.SERVER_MOVED,
            ReasonCode.CONNECTION_RATE_EXCEEDED);

    private static final long ALLOWED = PropertyId.set(
            PropertyId.SESSION_EXPIRY_INTERVAL,
            PropertyId.RECEIVE_MAXIMUM,
            PropertyId.MAXIMUM_QOS,
            PropertyId.RETAIN_AVAILABLE,
            PropertyId.MAXIMUM_PACKET_SIZE,
            PropertyId.ASSIGNED_CLIENT_IDENTIFIER,
            PropertyId.TOPIC_ALIAS_MAXIMUM,
            PropertyId.REASON_STRING,
            PropertyId.USER_PROPERTY,
            PropertyId.WILDCARD_SUBSCRIPTION_AVAILABLE,
            PropertyId.SUBSCRIPTION_IDENTIFIER_AVAILABLE,
            PropertyId.SHARED_SUBSCRIPTION_AVAILABLE,
            PropertyId.SERVER_KEEP_ALIVE,
            PropertyId.RESPONSE_INFORMATION,
            PropertyId.SERVER_REFERENCE,
            PropertyId.AUTHENTICATION_METHOD,
            PropertyId.AUTHENTICATION_DATA);

    private ConnAckCodec() {
        super(2, 0, "CONNACK");
    }

    @Override
    public ConnAck decode(FrameReader in, int flags) {
        int acknowledgeFlags = in.readU8();
        if (in.protocolLevel() == ProtocolLevel.MQTT_3_1) {
            acknowledgeFlags = 0; // a byte that MQTT 3.1 does not use
        }
        if (acknowledgeFlags > SESSION_PRESENT) { // [MQTT5-3.2.2-1]
            throw new ProtocolException(MALFORMED_PACKET, "connect acknowledge flags are " + acknowledgeFlags);
        }
        ReasonCode reasonCode = in.isMqtt5() ? in.readReasonCode(REASON_CODES, name()) : readReturnCode(in);
        boolean sessionPresent = acknowledgeFlags == SESSION_PRESENT;
        if (sessionPresent && reasonCode.isError()) { // [MQTT5-3.2.2-6], [MQTT311-3.2.2-4]
            throw new ProtocolException(PROTOCOL_ERROR, "CONNACK has session present with " + reasonCode);
        }
        ConnAck.Builder packet = ConnAck.builder(sessionPresent, reasonCode);
        if (in.isMqtt5()) {
            readProperties(in, packet);
        }
        return packet.build();
    }

    private void readProperties(FrameReader in, ConnAck.Builder packet) {
        List<UserProperty> userProperties = new ArrayList<>(0);
        String authenticationMethod = null;
        byte[] authenticationData = null;
        in.beginProperties();
        for (int id; (id = in.nextProperty(ALLOWED, name())) != 0; ) {
            switch (id) {
                case PropertyId.SESSION_EXPIRY_INTERVAL -> packet.sessionExpirySeconds(in.readU32());
                case PropertyId.RECEIVE_MAXIMUM -> packet.receiveMaximum(in.readNonZeroU16("receive maximum"));
                case PropertyId.MAXIMUM_QOS -> packet.maximumQos(in.readBoolean("maximum QoS") ? 1 : 0);
                case PropertyId.RETAIN_AVAILABLE -> packet.retainAvailable(in.readBoolean("retain available"));
                case PropertyId.MAXIMUM_PACKET_SIZE ->
                    packet.maximumPacketSize(in.readNonZeroU32("maximum packet size"));
                case PropertyId.ASSIGNED_CLIENT_IDENTIFIER -> packet.assignedClientId(in.readString());
                case PropertyId.TOPIC_ALIAS_MAXIMUM -> packet.topicAliasMaximum(in.readU16());
                case PropertyId.REASON_STRING -> packet.reasonString(in.readString());
                case PropertyId.WILDCARD_SUBSCRIPTION_AVAILABLE ->
                    packet.wildcardSubscriptionAvailable(in.readBoolean("wildcard subscription available"));
                case PropertyId.SUBSCRIPTION_IDENTIFIER_AVAILABLE ->
                    packet.subscriptionIdentifiersAvailable(in.readBoolean("subscription identifiers available"));
                case PropertyId.SHARED_SUBSCRIPTION_AVAILABLE ->
                    packet.sharedSubscriptionAvailable(in.readBoolean("shared subscription available"));
                case PropertyId.SERVER_KEEP_ALIVE -> packet.serverKeepAliveSeconds(in.readU16());
                case PropertyId.RESPONSE_INFORMATION -> packet.responseInformation(in.readString());
                case PropertyId.SERVER_REFERENCE -> packet.serverReference(in.readString());
                case PropertyId.AUTHENTICATION_METHOD -> authenticationMethod = in.readString();
                case PropertyId.AUTHENTICATION_DATA -> authenticationData = in.readBinary();
                default -> userProperties.add(in.readUserProperty());
            }
        }
        packet.userProperties(userProperties).authentication(authenticationMethod, authenticationData);
    }

    private static ReasonCode readReturnCode(FrameReader in) {
        int returnCode = in.readU8();
        ReasonCode reasonCode = ReasonCode.ofConnackReturnCode(returnCode);
        if (reasonCode == null) { // MQTT 3.1.1, table 3.1: reserved
            throw new ProtocolException(PROTOCOL_ERROR, "CONNACK has return code " + returnCode);
        }
        return reasonCode;
    }

    @Override
    boolean isExpressible(ConnAck packet, int protocolLevel) {
        return protocolLevel >= ProtocolLevel.MQTT_5 || packet.reasonCode().connackReturnCode() >= 0;
    }

    @Override
    void properties(ConnAck packet, PropertyWriter out) {
        out.u32(PropertyId.SESSION_EXPIRY_INTERVAL, packet.sessionExpirySeconds());
        out.u16(PropertyId.RECEIVE_MAXIMUM, packet.receiveMaximum());
        out.u8(PropertyId.MAXIMUM_QOS, packet.maximumQos());
        out.flag(PropertyId.RETAIN_AVAILABLE, packet.retainAvailable(), true);
        out.u32(PropertyId.MAXIMUM_PACKET_SIZE, packet.maximumPacketSize());
        out.string(PropertyId.ASSIGNED_CLIENT_IDENTIFIER, packet.assignedClientId());
        out.u16(PropertyId.TOPIC_ALIAS_MAXIMUM, packet.topicAliasMaximum());
        out.diagnostics(packet.reasonString(), packet.userProperties());
        out.flag(PropertyId.WILDCARD_SUBSCRIPTION_AVAILABLE, packet.wildcardSubscriptionAvailable(), true);
        out.flag(PropertyId.SUBSCRIPTION_IDENTIFIER_AVAILABLE, packet.subscriptionIdentifiersAvailable(), true);
        out.flag(PropertyId.SHARED_SUBSCRIPTION_AVAILABLE, packet.sharedSubscriptionAvailable(), true);
        out.u16(PropertyId.SERVER_KEEP_ALIVE, packet.serverKeepAliveSeconds());
        out.string(PropertyId.RESPONSE_INFORMATION, packet.responseInformation());
        out.string(PropertyId.SERVER_REFERENCE, packet.serverReference());
        out.string(PropertyId.AUTHENTICATION_METHOD, packet.authenticationMethod());
        out.binary(PropertyId.AUTHENTICATION_DATA, packet.authenticationData());
    }

    @Override
    int headLength(ConnAck packet, int protocolLevel, int propertiesLength) {
        return 2;
    }

    @Override
    void writeHead(ConnAck packet, int protocolLevel, int propertiesLength, ByteBuf out) {
        boolean sessionPresent = packet.sessionPresent() && protocolLevel > ProtocolLevel.MQTT_3_1;
        out.writeByte(sessionPresent ? SESSION_PRESENT : 0);
        ReasonCode reasonCode = packet.reasonCode();
        out.writeByte(
                protocolLevel >= ProtocolLevel.MQTT_5 ? said(reasonCode).value() : reasonCode.connackReturnCode());
    }

    /**
     * The nearest code that a CONNACK may have. A client may send SUBSCRIBE or PUBLISH right after its CONNECT and
     * break their rules before it gets its CONNACK, and a CONNACK has no codes for those faults.
     */
    private static ReasonCode said(ReasonCode reasonCode) {
        if (REASON_CODES.contains(reasonCode)) {
            return reasonCode;
        }
        return switch (reasonCode) {
            case TOPIC_FILTER_INVALID, TOPIC_ALIAS_INVALID, RECEIVE_MAXIMUM_EXCEEDED -> ReasonCode.PROTOCOL_ERROR;
            case SERVER_SHUTTING_DOWN -> ReasonCode.SERVER_UNAVAILABLE;
            default -> ReasonCode.UNSPECIFIED_ERROR;
        };
    }
}
