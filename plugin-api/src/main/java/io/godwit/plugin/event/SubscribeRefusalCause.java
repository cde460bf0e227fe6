package io.godwit.plugin.event;

/** Why a subscription was refused. */
public enum SubscribeRefusalCause {
    /** The filter has too many levels or bytes. */
    FILTER_LIMIT,
    /** Filters like this may not be used here, such as an exclusive one for a session without a connection. */
    FILTER_NOT_ALLOWED,
    /** The tenant may not use wildcards. */
    WILDCARDS_NOT_ALLOWED,
    /** The tenant may not use shared subscriptions. */
    SHARED_NOT_ALLOWED,
    /** The tenant may not use subscription identifiers. */
    IDENTIFIERS_NOT_ALLOWED,
    /** The SUBSCRIBE or the session has too many filters. */
    TOO_MANY_FILTERS,
    /** A quota of the tenant is reached; see {@link BrokerEvent.TenantLimitReached}. */
    TENANT_LIMIT,
    /** All sessions of the node together have too many filters. */
    NODE_LIMIT,
    /** Memory of the node is short. */
    MEMORY_SHORT
}
