package io.godwit.mqtt.codec.type;

import io.godwit.mqtt.packet.SubAck;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.UserProperty;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** SUBACK (MQTT 5.0 and 3.1.1, 3.9); the reason codes of [MQTT5-3.9.3-2], the return codes of [MQTT311-3.9.3-2]. */
public final class SubAckCodec extends FilterReplyCodec<SubAck> {
    public static final SubAckCodec INSTANCE = new SubAckCodec();

    private SubAckCodec() {
        super(
                9,
                "SUBACK",
                EnumSet.of(
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
                        ReasonCode.WILDCARD_SUBSCRIPTIONS_NOT_SUPPORTED),
                EnumSet.of(
                        ReasonCode.SUCCESS,
                        ReasonCode.GRANTED_QOS_1,
                        ReasonCode.GRANTED_QOS_2,
                        ReasonCode.UNSPECIFIED_ERROR));
    }

    @Override
    SubAck packet(
            int packetId,
            List<ReasonCode> reasonCodes,
            @Nullable String reasonString,
            List<UserProperty> userProperties) {
        return new SubAck(packetId, reasonCodes, reasonString, userProperties);
    }
}
