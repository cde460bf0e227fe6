package io.godwit.plugin.event;

/** Why a message was not delivered to one receiver. Every drop is counted. */
public enum DropReason {
    /** The queue of the session was full and the policy drops the newest. */
    QUEUE_FULL_NEWEST,
    /** The queue of the session was full and the policy drops the oldest. */
    QUEUE_FULL_OLDEST,
    /** The tenant has reached its limit of queued bytes. */
    TENANT_QUEUE_FULL,
    /** The client read too slowly: a QoS 0 message found the outbound buffer over its mark. */
    SLOW_CONSUMER,
    /** The client's outbound bandwidth was used up: QoS 0. */
    BANDWIDTH,
    /** The message expiry interval passed before delivery [MQTT5-3.3.2-5]. */
    EXPIRED,
    /**
     * Larger than the Maximum Packet Size of the receiver [MQTT5-3.1.2-24]; or, QoS 0 only, larger than the receivers'
     * node accepts, and then the event names that node as the receiver.
     */
    PACKET_TOO_LARGE,
    /** The session ended with the message still queued. */
    SESSION_ENDED,
    /** An operator has emptied the queue of the session. */
    PURGED,
    /** A store could not take it; only QoS 0, whose publisher gets no answer. */
    STORE_FAILED,
    /**
     * The node no longer leads the queue of the session, because another node does or this one stops, and had the
     * message in memory only; only QoS 0.
     */
    LEADERSHIP_LOST,
    /** An interceptor dropped it, or gave no valid answer. */
    INTERCEPTED,
    /** The link to the receivers' node was full; only QoS 0. The event names that node as the receiver. */
    LINK_FULL;

    /** Whether the receiver did not keep up. */
    public boolean isSlowConsumers() {
        return this == QUEUE_FULL_NEWEST || this == QUEUE_FULL_OLDEST || this == SLOW_CONSUMER;
    }
}
