package io.godwit.mqtt.subscribe;

import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.event.SubscribeRefusalCause;

/**
 * Why a filter is refused.
 *
 * @param code for the client
 * @param cause for events
 */
public record FilterRefusal(ReasonCode code, SubscribeRefusalCause cause) {
    public static final FilterRefusal LIMIT =
            new FilterRefusal(ReasonCode.TOPIC_FILTER_INVALID, SubscribeRefusalCause.FILTER_LIMIT);
    public static final FilterRefusal NOT_ALLOWED =
            new FilterRefusal(ReasonCode.TOPIC_FILTER_INVALID, SubscribeRefusalCause.FILTER_NOT_ALLOWED);
    public static final FilterRefusal TOO_MANY =
            new FilterRefusal(ReasonCode.QUOTA_EXCEEDED, SubscribeRefusalCause.TOO_MANY_FILTERS);
    public static final FilterRefusal TENANT_LIMIT =
            new FilterRefusal(ReasonCode.QUOTA_EXCEEDED, SubscribeRefusalCause.TENANT_LIMIT);
    static final FilterRefusal NODE_LIMIT =
            new FilterRefusal(ReasonCode.QUOTA_EXCEEDED, SubscribeRefusalCause.NODE_LIMIT);
    static final FilterRefusal MEMORY_SHORT =
            new FilterRefusal(ReasonCode.QUOTA_EXCEEDED, SubscribeRefusalCause.MEMORY_SHORT);

    /** @param code as {@link io.godwit.mqtt.tenant.TenantPolicy} gives it for a filter */
    public static FilterRefusal ofPolicy(ReasonCode code) {
        SubscribeRefusalCause cause = switch (code) {
            case WILDCARD_SUBSCRIPTIONS_NOT_SUPPORTED -> SubscribeRefusalCause.WILDCARDS_NOT_ALLOWED;
            case SHARED_SUBSCRIPTIONS_NOT_SUPPORTED -> SubscribeRefusalCause.SHARED_NOT_ALLOWED;
            case SUBSCRIPTION_IDENTIFIERS_NOT_SUPPORTED -> SubscribeRefusalCause.IDENTIFIERS_NOT_ALLOWED;
            default -> throw new IllegalStateException("no setting of a tenant refuses with " + code);
        };
        return new FilterRefusal(code, cause);
    }
}
