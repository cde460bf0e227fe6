package io.godwit.mqtt.codec;

import io.godwit.mqtt.codec.PropertyWriter.Detail;
import io.godwit.mqtt.packet.ProtocolLevel;
import io.godwit.mqtt.packet.ReasonCode;
import io.godwit.mqtt.packet.SubAck;
import io.godwit.plugin.message.UserProperty;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** SUBACK (MQTT 5.0 and 3.1.1, 3.9): packet identifier, properties, then a reason code for each filter. */
final class SubAckCodec extends PacketCodec<SubAck> {
    static final SubAckCodec INSTANCE = new SubAckCodec();

    /** [MQTT5-3.9.3-2]. */
    private static final Set<ReasonCode> REASON_CODES = EnumSet.of(
            ReasonCode.SUCCESS,
            ReasonCode.GRANTED_QOS_1,
            ReasonCode.GRANTED_QOS_2,
            ReasonCode.UNSPECIFIED_ERROR,
            ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR,
            ReasonCode.NOT_AUTHORIZED,
            ReasonCode.TOPIC_FILTER_INVALID,
            ReasonCode.PACKET_IDENTIFIER_IN_USE,
            ReasonCode.QUOTA_EXCEEDED,
            ReasonCode.SHARED_SUBSCRIPTIONS_NOT_SUPPORTED,
            ReasonCode.SUBSCRIPTION_IDENTIFIERS_NOT_SUPPORTED,
            ReasonCode.WILDCARD_SUBSCRIPTIONS_NOT_SUPPORTED);

    /** [MQTT311-3.9.3-2]. */
    private static final Set<ReasonCode> RETURN_CODES = EnumSet.of(
            ReasonCode.SUCCESS, ReasonCode.GRANTED_QOS_1, ReasonCode.GRANTED_QOS_2, ReasonCode.UNSPECIFIED_ERROR);

    private static final long ALLOWED = PropertyId.set(PropertyId.REASON_STRING, PropertyId.USER_PROPERTY);

    private SubAckCodec() {
        super(9, 0, "SUBACK");
    }

    @Override
    SubAck decode(FrameReader in, int flags) {
        int packetId = in.readPacketId(name());
        String reasonString = null;
        List<UserProperty> userProperties = new ArrayList<>(0);
        if (in.isMqtt5()) {
            in.beginProperties();
            for (int id; (id = in.nextProperty(ALLOWED, name())) != 0; ) {
                if (id == PropertyId.REASON_STRING) {
                    reasonString = in.readString();
                } else {
                    userProperties.add(in.readUserProperty());
                }
            }
        }
        Set<ReasonCode> allowed = in.isMqtt5() ? REASON_CODES : RETURN_CODES;
        List<ReasonCode> reasonCodes = new ArrayList<>(1);
        while (in.remaining() > 0) {
            reasonCodes.add(in.readReasonCode(allowed, name()));
        }
        return new SubAck(packetId, reasonCodes, reasonString, userProperties);
    }

    @Override
    void properties(SubAck packet, PropertyWriter out) {
        out.diagnostics(packet.reasonString(), packet.userProperties());
    }

    @Override
    Detail detail(PacketEncoder peer) {
        return peer.replyDetail();
    }

    @Override
    int headLength(SubAck packet, int protocolLevel, int propertiesLength) {
        return 2;
    }

    @Override
    void writeHead(SubAck packet, int protocolLevel, int propertiesLength, ByteBuf out) {
        out.writeShort(packet.packetId());
    }

    @Override
    int tailLength(SubAck packet, int protocolLevel) {
        return packet.reasonCodes().size();
    }

    @Override
    void writeTail(SubAck packet, int protocolLevel, ByteBuf out) {
        for (ReasonCode code : packet.reasonCodes()) {
            boolean plainFailure = code.isError() && protocolLevel < ProtocolLevel.MQTT_5;
            out.writeByte(plainFailure ? ReasonCode.UNSPECIFIED_ERROR.value() : code.value());
        }
    }
}
