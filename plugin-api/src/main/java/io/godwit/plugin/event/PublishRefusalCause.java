package io.godwit.plugin.event;

/** Why a publish was refused, wholly or in part. */
public enum PublishRefusalCause {
    /** The topic has too many levels or bytes. */
    TOPIC_LIMIT,
    /** Clients may not publish to the topic: it is below {@code $SYS}, or no valid topic of a delayed message. */
    TOPIC_NOT_ALLOWED,
    /** The QoS is above the highest that the tenant may use. */
    QOS_NOT_ALLOWED,
    /** The tenant may not retain messages. */
    RETAIN_NOT_ALLOWED,
    /** The payload is larger than the tenant may send. */
    PAYLOAD_TOO_LARGE,
    /** The payload is said to be UTF-8, and is not. */
    PAYLOAD_FORMAT_INVALID,
    /** A quota of the tenant is reached; see {@link BrokerEvent.TenantLimitReached}. */
    TENANT_LIMIT,
    /** The API publishes faster than one connection of the tenant may. Clients are read more slowly instead. */
    RATE_LIMIT,
    /** Memory of the node is short. */
    MEMORY_SHORT,
    /** An interceptor failed, or gave an answer that is not allowed. */
    INTERCEPTOR_FAILED,
    /**
     * A store has no room now, the node held the publish for too long, or too many delayed messages wait. A quota of
     * the tenant for delayed messages raises {@link BrokerEvent.TenantLimitReached} too.
     */
    OVERLOADED,
    /** A store failed, so some receivers may have the message. */
    STORE_FAILED
}
