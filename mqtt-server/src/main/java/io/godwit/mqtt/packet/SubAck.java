package io.godwit.mqtt.packet;

import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.UserProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a SUBSCRIBE.
 *
 * @param packetId of the SUBSCRIBE
 * @param reasonCodes one per filter, in its order [MQTT5-3.9.3-1]: the granted QoS, or an error, which MQTT 3.1.1
 *     clients get as 0x80
 */
public record SubAck(
        int packetId,
        List<ReasonCode> reasonCodes,
        @Nullable String reasonString,
        List<UserProperty> userProperties) implements FilterReply {
    public SubAck {
        PacketIds.check(packetId);
        reasonCodes = List.copyOf(reasonCodes);
        userProperties = List.copyOf(userProperties);
    }

    public SubAck(int packetId, List<ReasonCode> reasonCodes) {
        this(packetId, reasonCodes, null, List.of());
    }
}
