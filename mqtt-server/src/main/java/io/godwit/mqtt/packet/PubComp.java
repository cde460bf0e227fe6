package io.godwit.mqtt.packet;

import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.UserProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The last packet of a QoS 2 exchange: the packet identifier is free again.
 *
 * @param packetId 1 to 65,535
 * @param reasonCode success, or packet identifier not found
 */
public record PubComp(
        int packetId, ReasonCode reasonCode, @Nullable String reasonString, List<UserProperty> userProperties)
        implements PublishReply {
    public PubComp {
        PacketIds.check(packetId);
        userProperties = List.copyOf(userProperties);
    }

    public PubComp(int packetId, ReasonCode reasonCode) {
        this(packetId, reasonCode, null, List.of());
    }

    public PubComp(int packetId) {
        this(packetId, ReasonCode.SUCCESS);
    }
}
