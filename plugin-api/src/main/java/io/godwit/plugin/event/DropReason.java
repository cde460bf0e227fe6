package io.godwit.plugin.event;

/** Why a message was not delivered to one receiver. Each is counted; none is silent. */
public enum DropReason {
    /** The queue of the session held its limit and the policy drops the newest. */
    QUEUE_FULL_NEWEST,
    /** The queue of the session held its limit and the policy drops the oldest. */
    QUEUE_FULL_OLDEST,
    /** As many bytes waited for the sessions of its tenant as may. */
    TENANT_QUEUE_FULL,
    /** The client read too slowly: QoS 0 at an outbound buffer over its mark. */
    SLOW_CONSUMER,
    /** The client had been sent all that its bandwidth allows for now: QoS 0. */
    BANDWIDTH,
    /** The message expiry interval passed before delivery [MQTT5-3.3.2-5]. */
    EXPIRED,
    /**
     * Larger than the Maximum Packet Size of the receiver [MQTT5-3.1.2-24]; or, only QoS 0, than what the node of the
     * receivers accepts, and then that node is named as the receiver.
     */
    PACKET_TOO_LARGE,
    /** The session ended with the message still queued. */
    SESSION_ENDED,
    /** An operator has emptied the queue of the session. */
    PURGED,
    /** A store could not take it; only QoS 0, whose publisher is not told. */
    STORE_FAILED,
    /**
     * The node that led the queue of the session leads it no more, since another does or it stops, and had the message
     * in memory only; only QoS 0.
     */
    LEADERSHIP_LOST,
    /** An interceptor dropped it, or came to no answer. */
    INTERCEPTED,
    /** The link to the node of the receivers was full; only QoS 0. As the receiver that node is named. */
    LINK_FULL;

    /** Whether it is because the receiver does not keep up. */
    public boolean isSlowConsumers() {
        return this == QUEUE_FULL_NEWEST || this == QUEUE_FULL_OLDEST || this == SLOW_CONSUMER;
    }
}
