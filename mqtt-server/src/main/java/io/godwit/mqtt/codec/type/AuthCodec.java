package io.godwit.mqtt.codec.type;

import static io.godwit.mqtt.packet.field.ReasonCode.PROTOCOL_ERROR;

import io.godwit.mqtt.codec.field.EncodeLimits;
import io.godwit.mqtt.codec.field.FrameReader;
import io.godwit.mqtt.codec.field.PropertyId;
import io.godwit.mqtt.codec.field.PropertyWriter;
import io.godwit.mqtt.codec.field.PropertyWriter.Detail;
import io.godwit.mqtt.packet.Auth;
import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.field.ProtocolLevel;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.UserProperty;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** AUTH (MQTT 5.0, 3.15): reason code and properties; the whole body is left out for a success without properties. */
public final class AuthCodec extends PacketCodec<Auth> {
    public static final AuthCodec INSTANCE = new AuthCodec();

    /** [MQTT5-3.15.2-1]. */
    private static final Set<ReasonCode> REASON_CODES =
            EnumSet.of(ReasonCode.SUCCESS, ReasonCode.CONTINUE_AUTHENTICATION, ReasonCode.RE_AUTHENTICATE);

    private static final long ALLOWED = PropertyId.set(
            PropertyId.AUTHENTICATION_METHOD,
            PropertyId.AUTHENTICATION_DATA,
            PropertyId.REASON_STRING,
            PropertyId.USER_PROPERTY);

    private AuthCodec() {
        super(15, 0, "AUTH");
    }

    @Override
    public Auth decode(FrameReader in, int flags) {
        if (in.remaining() == 0) {
            return new Auth(ReasonCode.SUCCESS, null, null, null, List.of());
        }
        ReasonCode reasonCode = in.readReasonCode(REASON_CODES, name());
        String authenticationMethod = null;
        byte[] authenticationData = null;
        String reasonString = null;
        List<UserProperty> userProperties = new ArrayList<>(0);
        in.beginProperties();
        for (int id; (id = in.nextProperty(ALLOWED, name())) != 0; ) {
            switch (id) {
                case PropertyId.AUTHENTICATION_METHOD -> authenticationMethod = in.readString();
                case PropertyId.AUTHENTICATION_DATA -> authenticationData = in.readBinary();
                case PropertyId.REASON_STRING -> reasonString = in.readString();
                default -> userProperties.add(in.readUserProperty());
            }
        }
        if (authenticationMethod == null) { // MQTT 5.0, 3.15.2.2.2
            throw new ProtocolException(PROTOCOL_ERROR, "AUTH has no authentication method");
        }
        return new Auth(reasonCode, authenticationMethod, authenticationData, reasonString, userProperties);
    }

    @Override
    boolean isExpressible(Auth packet, int protocolLevel) {
        return protocolLevel >= ProtocolLevel.MQTT_5;
    }

    @Override
    void properties(Auth packet, PropertyWriter out) {
        out.string(PropertyId.AUTHENTICATION_METHOD, packet.authenticationMethod());
        out.binary(PropertyId.AUTHENTICATION_DATA, packet.authenticationData());
        out.diagnostics(packet.reasonString(), packet.userProperties());
    }

    @Override
    Detail detail(EncodeLimits peer) {
        return peer.replyDetail();
    }

    @Override
    boolean hasPropertyBlock(Auth packet, int propertiesLength) {
        return !isBare(packet, propertiesLength);
    }

    @Override
    int headLength(Auth packet, int protocolLevel, int propertiesLength) {
        return isBare(packet, propertiesLength) ? 0 : 1;
    }

    @Override
    void writeHead(Auth packet, int protocolLevel, int propertiesLength, ByteBuf out) {
        if (!isBare(packet, propertiesLength)) {
            out.writeByte(packet.reasonCode().value());
        }
    }

    private static boolean isBare(Auth packet, int propertiesLength) {
        return propertiesLength == 0 && packet.reasonCode() == ReasonCode.SUCCESS;
    }
}
