package io.godwit.mqtt.codec.type;

import io.godwit.mqtt.packet.UnsubAck;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.UserProperty;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** UNSUBACK (MQTT 5.0 and 3.1.1, 3.11); the reason codes of [MQTT5-3.11.3-2]. */
public final class UnsubAckCodec extends FilterReplyCodec<UnsubAck> {
    public static final UnsubAckCodec INSTANCE = new UnsubAckCodec();

    private UnsubAckCodec() {
        super(
                11,
                "UNSUBACK",
                EnumSet.of(
                        ReasonCode.SUCCESS,
                        ReasonCode.NO_SUBSCRIPTION_EXISTED,
                        ReasonCode.UNSPECIFIED_ERROR,
                        ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR,
                        ReasonCode.NOT_AUTHORIZED,
                        ReasonCode.TOPIC_FILTER_INVALID,
                        ReasonCode.PACKET_IDENTIFIER_IN_USE),
                Set.of());
    }

    @Override
    UnsubAck packet(
            int packetId,
            List<ReasonCode> reasonCodes,
            @Nullable String reasonString,
            List<UserProperty> userProperties) {
        return new UnsubAck(packetId, reasonCodes, reasonString, userProperties);
    }
}
