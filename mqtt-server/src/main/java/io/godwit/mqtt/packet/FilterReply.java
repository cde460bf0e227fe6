package io.godwit.mqtt.packet;

import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.UserProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The two packets that answer a list of topic filters; they share one layout (MQTT 5.0, 3.9 and 3.11). */
public sealed interface FilterReply extends Packet permits SubAck, UnsubAck {
    /** Packet identifier of the answered packet, 1 to 65,535. */
    int packetId();

    /** One per filter, in its order [MQTT5-3.9.3-1], [MQTT5-3.11.3-1]. */
    List<ReasonCode> reasonCodes();

    /** Diagnostic text for people, not for programs; null when absent. */
    @Nullable
    String reasonString();

    List<UserProperty> userProperties();
}
