package io.godwit.mqtt.packet.field;

import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;

/**
 * One filter of a SUBSCRIBE with its options (MQTT 5.0, 3.8.3.1).
 *
 * @param qos the highest QoS the client wants
 * @param noLocal false under MQTT 3.1 and 3.1.1; never true on a shared subscription [MQTT5-3.8.3-4]
 * @param retainAsPublished false under MQTT 3.1 and 3.1.1
 * @param retainHandling {@link RetainHandling#SEND} under MQTT 3.1 and 3.1.1
 */
public record Subscription(
        TopicFilter filter, Qos qos, boolean noLocal, boolean retainAsPublished, RetainHandling retainHandling) {
    public Subscription(TopicFilter filter, Qos qos) {
        this(filter, qos, false, false, RetainHandling.SEND);
    }
}
