package io.godwit.mqtt.trace;

import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;

/**
 * Follows packets and messages where no event reports them, while a trace is active. Called on event loops: must return
 * at once and not throw.
 */
public interface Tracer {
    /**
     * A PUBLISH was read; its outcome follows.
     *
     * @param packetId 0 at QoS 0
     */
    void published(ClientInfo publisher, Message message, int packetId);

    /** The outcome of distribution. At QoS 0 only if no receiver matched, or it failed. */
    void distributed(ClientInfo publisher, Message message, ReasonCode outcome);

    /** A SUBSCRIBE was answered, for one filter in the client's form. */
    void subscribed(ClientInfo subscriber, TopicFilter filter, ReasonCode code);

    /** An UNSUBSCRIBE was answered, likewise. */
    void unsubscribed(ClientInfo subscriber, TopicFilter filter, ReasonCode code);

    /** A copy waits, because its receiver takes no more now. */
    void queued(ClientInfo receiver, Message message, Qos qos);

    /**
     * A copy was handed to the connection.
     *
     * @param packetId 0 at QoS 0
     */
    void sent(ClientInfo receiver, Message message, Qos qos, int packetId, boolean isRepeated);

    /** The receiver has completed the exchange of a copy. */
    void acknowledged(ClientInfo receiver, int packetId, ReasonCode code);
}
