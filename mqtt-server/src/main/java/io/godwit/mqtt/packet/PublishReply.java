package io.godwit.mqtt.packet;

import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.UserProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The four packets that answer a PUBLISH or continue its QoS 2 handshake; they share one layout (MQTT 5.0, 3.4 to 3.7).
 */
public sealed interface PublishReply extends Packet permits PubAck, PubRec, PubRel, PubComp {
    /** Packet identifier, 1 to 65,535. */
    int packetId();

    /** Always {@link ReasonCode#SUCCESS} under MQTT 3.1 and 3.1.1. */
    ReasonCode reasonCode();

    /** Diagnostic text for people, not for programs; null when absent. */
    @Nullable
    String reasonString();

    List<UserProperty> userProperties();
}
