package io.godwit.mqtt.codec.type;

import io.godwit.mqtt.codec.field.EncodeLimits;
import io.godwit.mqtt.codec.field.FrameReader;
import io.godwit.mqtt.codec.field.PropertyId;
import io.godwit.mqtt.codec.field.PropertyWriter;
import io.godwit.mqtt.codec.field.PropertyWriter.Detail;
import io.godwit.mqtt.packet.FilterReply;
import io.godwit.mqtt.packet.field.ProtocolLevel;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.UserProperty;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The layout that SUBACK and UNSUBACK share (MQTT 5.0 and 3.1.1, 3.9 and 3.11): packet identifier, in 5.0 properties,
 * then a reason code for each filter; an UNSUBACK has codes in 5.0 only.
 */
abstract class FilterReplyCodec<P extends FilterReply> extends PacketCodec<P> {
    private static final long ALLOWED = PropertyId.set(PropertyId.REASON_STRING, PropertyId.USER_PROPERTY);

    private final Set<ReasonCode> reasonCodes;
    private final Set<ReasonCode> returnCodes;

    /**
     * @param reasonCodes of 5.0
     * @param returnCodes of 3.1 and 3.1.1, empty when the packet has none
     */
    FilterReplyCodec(int type, String name, Set<ReasonCode> reasonCodes, Set<ReasonCode> returnCodes) {
        super(type, 0, name);
        this.reasonCodes = reasonCodes;
        this.returnCodes = returnCodes;
    }

    abstract P packet(
            int packetId,
            List<ReasonCode> reasonCodes,
            @Nullable String reasonString,
            List<UserProperty> userProperties);

    @Override
    public final P decode(FrameReader in, int flags) {
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
        Set<ReasonCode> allowed = allowed(in.protocolLevel());
        List<ReasonCode> codes = new ArrayList<>(1);
        while (!allowed.isEmpty() && in.remaining() > 0) {
            codes.add(in.readReasonCode(allowed, name()));
        }
        return packet(packetId, codes, reasonString, userProperties);
    }

    @Override
    final void properties(P packet, PropertyWriter out) {
        out.diagnostics(packet.reasonString(), packet.userProperties());
    }

    @Override
    final Detail detail(EncodeLimits peer) {
        return peer.replyDetail();
    }

    @Override
    final int headLength(P packet, int protocolLevel, int propertiesLength) {
        return 2;
    }

    @Override
    final void writeHead(P packet, int protocolLevel, int propertiesLength, ByteBuf out) {
        out.writeShort(packet.packetId());
    }

    @Override
    final int tailLength(P packet, int protocolLevel) {
        return allowed(protocolLevel).isEmpty() ? 0 : packet.reasonCodes().size();
    }

    /**
     * In 3.1.1 the only error is 0x80, so every error becomes that; 3.1 has none, so no SUBACK with an error is made
     * for it.
     */
    @Override
    final void writeTail(P packet, int protocolLevel, ByteBuf out) {
        if (allowed(protocolLevel).isEmpty()) {
            return;
        }
        for (ReasonCode code : packet.reasonCodes()) {
            boolean plainFailure = code.isError() && protocolLevel < ProtocolLevel.MQTT_5;
            out.writeByte(plainFailure ? ReasonCode.UNSPECIFIED_ERROR.value() : code.value());
        }
    }

    private Set<ReasonCode> allowed(int protocolLevel) {
        return protocolLevel < ProtocolLevel.MQTT_5 ? returnCodes : reasonCodes;
    }
}
