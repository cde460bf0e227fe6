package io.godwit.mqtt.codec.type;

import io.godwit.mqtt.packet.PubComp;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.UserProperty;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** PUBCOMP (MQTT 5.0 and 3.1.1, 3.7); the reason codes of [MQTT5-3.7.2-1]. */
public final class PubCompCodec extends PublishReplyCodec<PubComp> {
    public static final PubCompCodec INSTANCE = new PubCompCodec();

    private PubCompCodec() {
        super(7, 0, "PUBCOMP", EnumSet.of(ReasonCode.SUCCESS, ReasonCode.PACKET_IDENTIFIER_NOT_FOUND));
    }

    @Override
    PubComp packet(
            int packetId, ReasonCode reasonCode, @Nullable String reasonString, List<UserProperty> userProperties) {
        return new PubComp(packetId, reasonCode, reasonString, userProperties);
    }
}
