package io.godwit.mqtt.codec.type;

import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.field.ProtocolLevel;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.UserProperty;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** PUBACK (MQTT 5.0 and 3.1.1, 3.4); the reason codes of [MQTT5-3.4.2-1]. */
public final class PubAckCodec extends PublishReplyCodec<PubAck> {
    public static final PubAckCodec INSTANCE = new PubAckCodec();

    private PubAckCodec() {
        super(
                4,
                0,
                "PUBACK",
                EnumSet.of(
                        ReasonCode.SUCCESS,
                        ReasonCode.NO_MATCHING_SUBSCRIBERS,
                        ReasonCode.UNSPECIFIED_ERROR,
                        ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR,
                        ReasonCode.NOT_AUTHORIZED,
                        ReasonCode.TOPIC_NAME_INVALID,
                        ReasonCode.PACKET_IDENTIFIER_IN_USE,
                        ReasonCode.QUOTA_EXCEEDED,
                        ReasonCode.PAYLOAD_FORMAT_INVALID));
    }

    /** Without a reason code the packet means success, so it cannot express an error. */
    @Override
    boolean isExpressible(PubAck packet, int protocolLevel) {
        return protocolLevel >= ProtocolLevel.MQTT_5 || !packet.reasonCode().isError();
    }

    @Override
    PubAck packet(
            int packetId, ReasonCode reasonCode, @Nullable String reasonString, List<UserProperty> userProperties) {
        return new PubAck(packetId, reasonCode, reasonString, userProperties);
    }
}
