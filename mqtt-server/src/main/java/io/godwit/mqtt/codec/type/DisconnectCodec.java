package io.godwit.mqtt.codec.type;

import static io.godwit.mqtt.packet.field.ReasonCode.PROTOCOL_ERROR;

import io.godwit.mqtt.codec.field.FrameReader;
import io.godwit.mqtt.codec.field.PropertyId;
import io.godwit.mqtt.codec.field.PropertyWriter;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.field.ProtocolLevel;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.UserProperty;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * DISCONNECT (MQTT 5.0 and 3.1.1, 3.14). In 5.0 it has a reason code, left out for a normal end without properties,
 * then properties, left out with their length when there are none.
 */
public final class DisconnectCodec extends PacketCodec<Disconnect> {
    public static final DisconnectCodec INSTANCE = new DisconnectCodec();

    /** The codes of a client [MQTT5-3.14.2-1]. */
    private static final Set<ReasonCode> FROM_CLIENT = EnumSet.of(
            ReasonCode.SUCCESS,
            ReasonCode.DISCONNECT_WITH_WILL,
            ReasonCode.UNSPECIFIED_ERROR,
            ReasonCode.MALFORMED_PACKET,
            ReasonCode.PROTOCOL_ERROR,
            ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR,
            ReasonCode.TOPIC_NAME_INVALID,
            ReasonCode.RECEIVE_MAXIMUM_EXCEEDED,
            ReasonCode.TOPIC_ALIAS_INVALID,
            ReasonCode.PACKET_TOO_LARGE,
            ReasonCode.MESSAGE_RATE_TOO_HIGH,
            ReasonCode.QUOTA_EXCEEDED,
            ReasonCode.ADMINISTRATIVE_ACTION,
            ReasonCode.PAYLOAD_FORMAT_INVALID);

    private static final long ALLOWED = PropertyId.set(
            PropertyId.SESSION_EXPIRY_INTERVAL,
            PropertyId.REASON_STRING,
            PropertyId.USER_PROPERTY,
            PropertyId.SERVER_REFERENCE);

    private DisconnectCodec() {
        super(14, 0, "DISCONNECT");
    }

    @Override
    public Disconnect decode(FrameReader in, int flags) {
        if (!in.isMqtt5() || in.remaining() == 0) {
            return Disconnect.NORMAL;
        }
        ReasonCode reasonCode = in.readReasonCode(in.fromClient() ? FROM_CLIENT : Disconnect.FROM_SERVER, name());
        if (in.remaining() == 0) {
            return new Disconnect(reasonCode, null);
        }
        long sessionExpirySeconds = -1;
        String reasonString = null;
        List<UserProperty> userProperties = new ArrayList<>(0);
        String serverReference = null;
        in.beginProperties();
        for (int id; (id = in.nextProperty(ALLOWED, name())) != 0; ) {
            switch (id) {
                case PropertyId.SESSION_EXPIRY_INTERVAL -> sessionExpirySeconds = readSessionExpiry(in);
                case PropertyId.REASON_STRING -> reasonString = in.readString();
                case PropertyId.SERVER_REFERENCE -> serverReference = in.readString();
                default -> userProperties.add(in.readUserProperty());
            }
        }
        return new Disconnect(reasonCode, sessionExpirySeconds, reasonString, userProperties, serverReference);
    }

    private static long readSessionExpiry(FrameReader in) {
        if (!in.fromClient()) { // [MQTT5-3.14.2-2]
            throw new ProtocolException(PROTOCOL_ERROR, "DISCONNECT of a server has a session expiry interval");
        }
        return in.readU32();
    }

    @Override
    boolean isExpressible(Disconnect packet, int protocolLevel) {
        return protocolLevel >= ProtocolLevel.MQTT_5 || packet.reasonCode() == ReasonCode.SUCCESS;
    }

    @Override
    void properties(Disconnect packet, PropertyWriter out) {
        out.u32(PropertyId.SESSION_EXPIRY_INTERVAL, packet.sessionExpirySeconds());
        out.diagnostics(packet.reasonString(), packet.userProperties());
        out.string(PropertyId.SERVER_REFERENCE, packet.serverReference());
    }

    @Override
    boolean hasPropertyBlock(Disconnect packet, int propertiesLength) {
        return propertiesLength > 0;
    }

    @Override
    int headLength(Disconnect packet, int protocolLevel, int propertiesLength) {
        return hasReasonCode(packet, protocolLevel, propertiesLength) ? 1 : 0;
    }

    @Override
    void writeHead(Disconnect packet, int protocolLevel, int propertiesLength, ByteBuf out) {
        if (hasReasonCode(packet, protocolLevel, propertiesLength)) {
            out.writeByte(said(packet.reasonCode()).value());
        }
    }

    /** The nearest code that a DISCONNECT may have [MQTT5-3.14.2-1]. */
    private static ReasonCode said(ReasonCode reasonCode) {
        if (Disconnect.FROM_SERVER.contains(reasonCode) || FROM_CLIENT.contains(reasonCode)) {
            return reasonCode;
        }
        return switch (reasonCode) {
            case BANNED -> ReasonCode.ADMINISTRATIVE_ACTION;
            case BAD_USER_NAME_OR_PASSWORD -> ReasonCode.NOT_AUTHORIZED;
            case SERVER_UNAVAILABLE -> ReasonCode.SERVER_BUSY;
            default -> ReasonCode.UNSPECIFIED_ERROR;
        };
    }

    private static boolean hasReasonCode(Disconnect packet, int protocolLevel, int propertiesLength) {
        return protocolLevel >= ProtocolLevel.MQTT_5
                && (propertiesLength > 0 || packet.reasonCode() != ReasonCode.SUCCESS);
    }
}
