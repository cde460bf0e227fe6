package io.godwit.mqtt.codec.type;

import io.godwit.mqtt.codec.field.EncodeLimits;
import io.godwit.mqtt.codec.field.FrameReader;
import io.godwit.mqtt.codec.field.PropertyId;
import io.godwit.mqtt.codec.field.PropertyWriter;
import io.godwit.mqtt.codec.field.PropertyWriter.Detail;
import io.godwit.mqtt.packet.PublishReply;
import io.godwit.mqtt.packet.field.ProtocolLevel;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.UserProperty;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The layout that PUBACK, PUBREC, PUBREL and PUBCOMP share (MQTT 5.0, 3.4 to 3.7). After the packet identifier, 5.0 has
 * a reason code, which ends the packet early for a success without properties, then properties, left out with their
 * length when there are none.
 */
abstract class PublishReplyCodec<P extends PublishReply> extends PacketCodec<P> {
    private static final long ALLOWED = PropertyId.set(PropertyId.REASON_STRING, PropertyId.USER_PROPERTY);

    private final Set<ReasonCode> reasonCodes;
    /** The frame of a success without properties, with packet identifier 0. */
    private final int plainFrame;

    PublishReplyCodec(int type, int flags, String name, Set<ReasonCode> reasonCodes) {
        super(type, flags, name);
        this.reasonCodes = reasonCodes;
        plainFrame = (type << 4 | flags) << 24 | 2 << 16;
    }

    abstract P packet(
            int packetId, ReasonCode reasonCode, @Nullable String reasonString, List<UserProperty> userProperties);

    @Override
    public final P decode(FrameReader in, int flags) {
        int packetId = in.readPacketId(name());
        if (!in.isMqtt5() || in.remaining() == 0) {
            return packet(packetId, ReasonCode.SUCCESS, null, List.of());
        }
        ReasonCode reasonCode = in.readReasonCode(reasonCodes, name());
        if (in.remaining() == 0) {
            return packet(packetId, reasonCode, null, List.of());
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
        return packet(packetId, reasonCode, reasonString, userProperties);
    }

    @Override
    final void properties(P packet, PropertyWriter out) {
        out.diagnostics(packet.reasonString(), packet.userProperties());
    }

    @Override
    final boolean hasPropertyBlock(P packet, int propertiesLength) {
        return propertiesLength > 0;
    }

    @Override
    final Detail detail(EncodeLimits peer) {
        return peer.replyDetail();
    }

    @Override
    final int headLength(P packet, int protocolLevel, int propertiesLength) {
        return hasReasonCode(packet, protocolLevel, propertiesLength) ? 3 : 2;
    }

    @Override
    final void writeHead(P packet, int protocolLevel, int propertiesLength, ByteBuf out) {
        out.writeShort(packet.packetId());
        if (hasReasonCode(packet, protocolLevel, propertiesLength)) {
            out.writeByte(packet.reasonCode().value());
        }
    }

    /** Writes the usual reply, four bytes, without measuring. */
    @Override
    public final boolean encode(P packet, EncodeLimits peer, ByteBuf out) {
        boolean plain = packet.reasonCode() == ReasonCode.SUCCESS
                && packet.reasonString() == null
                && packet.userProperties().isEmpty();
        if (!plain || !peer.accepts(2)) {
            return super.encode(packet, peer, out);
        }
        out.writeInt(plainFrame | packet.packetId());
        return true;
    }

    private boolean hasReasonCode(P packet, int protocolLevel, int propertiesLength) {
        return protocolLevel >= ProtocolLevel.MQTT_5
                && (propertiesLength > 0 || packet.reasonCode() != ReasonCode.SUCCESS);
    }
}
