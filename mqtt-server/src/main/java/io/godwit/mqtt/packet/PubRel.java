package io.godwit.mqtt.packet;

import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.UserProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The sender of a QoS 2 PUBLISH has seen the PUBREC and releases the packet identifier's message.
 *
 * @param packetId 1 to 65,535
 * @param reasonCode success, or packet identifier not found
 */
public record PubRel(
        int packetId, ReasonCode reasonCode, @Nullable String reasonString, List<UserProperty> userProperties)
        implements PublishReply {
    public PubRel {
        PacketIds.check(packetId);
        userProperties = List.copyOf(userProperties);
    }

    public PubRel(int packetId, ReasonCode reasonCode) {
        this(packetId, reasonCode, null, List.of());
    }

    public PubRel(int packetId) {
        this(packetId, ReasonCode.SUCCESS);
    }
}
