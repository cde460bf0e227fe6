package io.godwit.plugin.event;

/**
 * Why a connection is throttled. None of its QoS 1 or 2 publishes is discarded for it; messages to it wait in its
 * session's queue, whose limits apply.
 */
public enum ThrottleCause {
    /** It sends more bytes per second than it may: reading pauses. */
    BANDWIDTH_IN,
    /** It receives more bytes per second than it may: writing pauses. */
    BANDWIDTH_OUT,
    /** It publishes more messages per second than it may: reading pauses. */
    PUBLISH_RATE,
    /**
     * Too many of its publishes, or too many bytes of them, or too many of its subscriptions are not yet stored:
     * reading pauses.
     */
    UNACKNOWLEDGED,
    /**
     * The node holds too many bytes of publishes that are not yet stored, or too many filters of subscriptions: reading
     * pauses.
     */
    NODE_BUDGET,
    /**
     * There is no memory for the packet it is sending, because too much of other incomplete packets has arrived:
     * reading pauses.
     */
    HALF_RECEIVED,
    /** It sends packets that need an answer and does not read the answers: reading pauses. */
    UNREAD_ANSWERS,
    /** It publishes while memory is short, under MQTT 3.1.1, which cannot refuse a publish: reading pauses. */
    MEMORY,
    /** The clients of its tenant send more bytes per second than they may together: reading pauses. */
    TENANT_BANDWIDTH_IN,
    /** The clients of its tenant publish more messages per second than they may together: reading pauses. */
    TENANT_PUBLISH_RATE,
    /** The clients of its tenant receive more messages or bytes per second than they may together: writing pauses. */
    TENANT_DELIVERY
}
