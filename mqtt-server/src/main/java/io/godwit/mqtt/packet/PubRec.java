package io.godwit.mqtt.packet;

import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.UserProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The first answer to a QoS 2 PUBLISH: the receiver owns the message now, unless the code is an error.
 *
 * @param packetId 1 to 65,535
 * @param reasonCode MQTT 3.1 and 3.1.1 can express only success: a refused message stays unacknowledged
 */
public record PubRec(
        int packetId, ReasonCode reasonCode, @Nullable String reasonString, List<UserProperty> userProperties)
        implements PublishReply {
    public PubRec {
        PacketIds.check(packetId);
        userProperties = List.copyOf(userProperties);
    }

    public PubRec(int packetId, ReasonCode reasonCode) {
        this(packetId, reasonCode, null, List.of());
    }

    public PubRec(int packetId) {
        this(packetId, ReasonCode.SUCCESS);
    }
}
