package io.godwit.plugin.event;

/**
 * Why a connection is held back. Nothing that it publishes with QoS 1 or 2 is discarded for it; what it is sent waits
 * in its session's queue, whose limits hold.
 */
public enum ThrottleCause {
    /** It sends more bytes per second than it may: reading pauses. */
    BANDWIDTH_IN,
    /** It is sent more bytes per second than it may: writing pauses. */
    BANDWIDTH_OUT,
    /** It publishes more messages per second than it may: reading pauses. */
    PUBLISH_RATE,
    /** Too many of its publishes, or bytes of them, or of its subscriptions are not yet stored: reading pauses. */
    UNACKNOWLEDGED,
    /**
     * The node holds too many bytes of publishes that are not yet stored, or too many filters of subscriptions: reading
     * pauses.
     */
    NODE_BUDGET,
    /**
     * There is no room for the packet it is sending, since too much has arrived of others that are not whole: reading
     * pauses.
     */
    HALF_RECEIVED,
    /** It sends what has to be answered and does not read the answers: reading pauses. */
    UNREAD_ANSWERS,
    /** It publishes while memory is short, under MQTT 3.1.1, which has no word for no: reading pauses. */
    MEMORY,
    /** The clients of its tenant send more bytes per second than they may together: reading pauses. */
    TENANT_BANDWIDTH_IN,
    /** The clients of its tenant publish more messages per second than they may together: reading pauses. */
    TENANT_PUBLISH_RATE,
    /** The clients of its tenant are sent more messages or bytes per second than they may together: writing pauses. */
    TENANT_DELIVERY
}
