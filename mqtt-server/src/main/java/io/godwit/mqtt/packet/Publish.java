package io.godwit.mqtt.packet;

import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;

/**
 * An application message on the wire.
 *
 * @param packetId 1 to 65,535 at QoS 1 and 2, 0 at QoS 0
 * @param dup never set at QoS 0 [MQTT5-3.3.1-2]
 * @param topic a valid topic name; empty only with a topic alias, which then stands for it
 * @param topicAlias 0 absent (0 is not a valid alias), else 1 to 65,535. The decoder does not resolve it: the
 *     aliases belong to the connection
 * @param payload shared, never modified
 * @param properties {@link MessageProperties#NONE}, the shared value, when the packet has none of them
 * @param subscriptionIds each 1 to 268,435,455, from server to client only; {@link #NO_SUBSCRIPTION_IDS} when
 *     absent; shared, never modified
 */
@SuppressWarnings("ArrayRecordComponent") // shared by contract, compared nowhere
public record Publish(
        int packetId,
        boolean dup,
        Qos qos,
        boolean retain,
        String topic,
        int topicAlias,
        byte[] payload,
        MessageProperties properties,
        int[] subscriptionIds)
        implements Packet {

    public static final int[] NO_SUBSCRIPTION_IDS = {};

    public Publish {
        if (packetId < 0 || packetId > 0xFFFF || (packetId == 0) != (qos == Qos.AT_MOST_ONCE)) {
            throw new IllegalArgumentException(
                    "packetId must be 0 at QoS 0, else 1 to 65535, was " + packetId + " at QoS " + qos.value());
        }
    }

    /** A packet without topic alias and subscription identifiers. */
    public Publish(
            int packetId,
            boolean dup,
            Qos qos,
            boolean retain,
            String topic,
            byte[] payload,
            MessageProperties properties) {
        this(packetId, dup, qos, retain, topic, 0, payload, properties, NO_SUBSCRIPTION_IDS);
    }

    /** Shows the length of the payload instead of the payload. */
    @Override
    public String toString() {
        return "Publish[packetId=" + packetId + ", dup=" + dup + ", qos=" + qos.value() + ", retain=" + retain
                + ", topic=" + topic + ", topicAlias=" + topicAlias + ", bytes=" + payload.length + "]";
    }
}
