package io.godwit.mqtt.codec.type;

import io.godwit.mqtt.packet.PubRec;
import io.godwit.mqtt.packet.field.ProtocolLevel;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.UserProperty;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** PUBREC (MQTT 5.0 and 3.1.1, 3.5); the reason codes of [MQTT5-3.5.2-1]. */
public final class PubRecCodec extends PublishReplyCodec<PubRec> {
    public static final PubRecCodec INSTANCE = new PubRecCodec();

    private PubRecCodec() {
        super(
                5,
                0,
                "PUBREC",
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
    boolean isExpressible(PubRec packet, int protocolLevel) {
        return protocolLevel >= ProtocolLevel.MQTT_5 || !packet.reasonCode().isError();
    }

    @Override
    PubRec packet(
            int packetId, ReasonCode reasonCode, @Nullable String reasonString, List<UserProperty> userProperties) {
        return new PubRec(packetId, reasonCode, reasonString, userProperties);
    }
}
