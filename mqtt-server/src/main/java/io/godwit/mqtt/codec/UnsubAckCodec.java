package io.godwit.mqtt.codec;

import io.godwit.mqtt.codec.PropertyWriter.Detail;
import io.godwit.mqtt.packet.ProtocolLevel;
import io.godwit.mqtt.packet.ReasonCode;
import io.godwit.mqtt.packet.UnsubAck;
import io.godwit.plugin.message.UserProperty;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** UNSUBACK (MQTT 5.0 and 3.1.1, 3.11): packet identifier; in 5.0 properties and a reason code for each filter. */
final class UnsubAckCodec extends PacketCodec<UnsubAck> {
    static final UnsubAckCodec INSTANCE = new UnsubAckCodec();

    /** [MQTT5-3.11.3-2]. */
    private static final Set<ReasonCode> REASON_CODES = EnumSet.of(
            ReasonCode.SUCCESS,
            ReasonCode.NO_SUBSCRIPTION_EXISTED,
            ReasonCode.UNSPECIFIED_ERROR,
            ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR,
            ReasonCode.NOT_AUTHORIZED,
            ReasonCode.TOPIC_FILTER_INVALID,
            ReasonCode.PACKET_IDENTIFIER_IN_USE);

    private static final long ALLOWED = PropertyId.set(PropertyId.REASON_STRING, PropertyId.USER_PROPERTY);

    private UnsubAckCodec() {
        super(11, 0, "UNSUBACK");
    }

    @Override
    UnsubAck decode(FrameReader in, int flags) {
        int packetId = in.readPacketId(name());
        if (!in.isMqtt5()) {
            return new UnsubAck(packetId, List.of());
        }
        String reasonString = null;
        List<UserProperty> userProperties = new ArrayList<>(0);
        in.beginProperties();
        for (int id; (id = in.nextProperty(ALLOWED, name())) != 0; ) {
            if (id == PropertyId.REASON_STRING) {
                reasonString = in.readString();
            } else {
                userProperties.add(in.readUserProperty());
            }
        }
        List<ReasonCode> reasonCodes = new ArrayList<>(1);
        while (in.remaining() > 0) {
            reasonCodes.add(in.readReasonCode(REASON_CODES, name()));
        }
        return new UnsubAck(packetId, reasonCodes, reasonString, userProperties);
    }

    @Override
    void properties(UnsubAck packet, PropertyWriter out) {
        out.diagnostics(packet.reasonString(), packet.userProperties());
    }

    @Override
    Detail detail(PacketEncoder peer) {
        return peer.replyDetail();
    }

    @Override
    int headLength(UnsubAck packet, int protocolLevel, int propertiesLength) {
        return 2;
    }

    @Override
    void writeHead(UnsubAck packet, int protocolLevel, int propertiesLength, ByteBuf out) {
        out.writeShort(packet.packetId());
    }

    @Override
    int tailLength(UnsubAck packet, int protocolLevel) {
        return protocolLevel < ProtocolLevel.MQTT_5 ? 0 : packet.reasonCodes().size();
    }

    @Override
    void writeTail(UnsubAck packet, int protocolLevel, ByteBuf out) {
        if (protocolLevel >= ProtocolLevel.MQTT_5) {
            for (ReasonCode code : packet.reasonCodes()) {
                out.writeByte(code.value());
            }
        }
    }
}
