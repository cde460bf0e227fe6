package io.godwit.mqtt.packet;

import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.UserProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer to an UNSUBSCRIBE.
 *
 * @param packetId of the UNSUBSCRIBE
 * @param reasonCodes one per filter, in its order [MQTT5-3.11.3-1]; not sent under MQTT 3.1 and 3.1.1, where a
 *     decoded packet has none
 */
public record UnsubAck(
        int packetId,
        List<ReasonCode> reasonCodes,
        @Nullable String reasonString,
        List<UserProperty> userProperties) implements FilterReply {
    public UnsubAck {
        PacketIds.check(packetId);
        reasonCodes = List.copyOf(reasonCodes);
        userProperties = List.copyOf(userProperties);
    }

    public UnsubAck(int packetId, List<ReasonCode> reasonCodes) {
        this(packetId, reasonCodes, null, List.of());
    }
}
