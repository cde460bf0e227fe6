package io.godwit.mqtt.trace;

import io.godwit.mqtt.packet.ReasonCode;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;

/**
 * Is told the way of packets and messages that no event tells of, while somebody follows some. Called on event loops:
 * returns at once and does not throw.
 */
public interface Tracer {
    /**
     * A PUBLISH was read; what becomes of it follows.
     *
     * @param packetId 0 at QoS 0
     */
    void published(ClientInfo publisher, Message message, int packetId);

    /** Its receivers have it, or not. Of QoS 0 only when it matched none, or failed. */
    void distributed(ClientInfo publisher, Message message, ReasonCode outcome);

    /** A SUBSCRIBE is answered, for one filter as its client calls it. */
    void subscribed(ClientInfo subscriber, TopicFilter filter, ReasonCode code);

    /** The same of an UNSUBSCRIBE. */
    void unsubscribed(ClientInfo subscriber, TopicFilter filter, ReasonCode code);

    /** A copy waits, since its receiver takes no more now. */
    void queued(ClientInfo receiver, Message message, Qos qos);

    /**
     * A copy was handed to the connection.
     *
     * @param packetId 0 at QoS 0
     */
    void sent(ClientInfo receiver, Message message, Qos qos, int packetId, boolean isRepeated);

    /** The receiver has answered a copy for good. */
    void acknowledged(ClientInfo receiver, int packetId, ReasonCode code);
}
