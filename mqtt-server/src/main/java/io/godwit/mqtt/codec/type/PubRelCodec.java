package io.godwit.mqtt.codec.type;

import io.godwit.mqtt.packet.PubRel;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.UserProperty;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** PUBREL (MQTT 5.0 and 3.1.1, 3.6); the flags of [MQTT5-3.6.1-1], the reason codes of [MQTT5-3.6.2-1]. */
public final class PubRelCodec extends PublishReplyCodec<PubRel> {
    public static final PubRelCodec INSTANCE = new PubRelCodec();

    private PubRelCodec() {
        super(6, 0b0010, "PUBREL", EnumSet.of(ReasonCode.SUCCESS, ReasonCode.PACKET_IDENTIFIER_NOT_FOUND));
    }

    @Override
    PubRel packet(
            int packetId, ReasonCode reasonCode, @Nullable String reasonString, List<UserProperty> userProperties) {
        return new PubRel(packetId, reasonCode, reasonString, userProperties);
    }
}
