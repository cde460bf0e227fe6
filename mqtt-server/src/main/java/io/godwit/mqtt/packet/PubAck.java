package io.godwit.mqtt.packet;

import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.UserProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a QoS 1 PUBLISH.
 *
 * @param packetId 1 to 65,535
 * @param reasonCode MQTT 3.1 and 3.1.1 can express only success: a refused message stays unacknowledged
 */
public record PubAck(
        int packetId, ReasonCode reasonCode, @Nullable String reasonString, List<UserProperty> userProperties)
        implements PublishReply {
    public PubAck {
        PacketIds.check(packetId);
        userProperties = List.copyOf(userProperties);
    }

    public PubAck(int packetId, ReasonCode reasonCode) {
        this(packetId, reasonCode, null, List.of());
    }

    public PubAck(int packetId) {
        this(packetId, ReasonCode.SUCCESS);
    }
}
