package io.godwit.mqtt.session.inbound;

import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.event.PublishRefusalCause;

/**
 * Why a publish is refused before it is distributed.
 *
 * @param code for the client
 * @param cause for events
 */
record PublishRefusal(ReasonCode code, PublishRefusalCause cause) {
    static final PublishRefusal TOPIC_LIMIT =
            new PublishRefusal(ReasonCode.TOPIC_NAME_INVALID, PublishRefusalCause.TOPIC_LIMIT);
    static final PublishRefusal MEMORY_SHORT =
            new PublishRefusal(ReasonCode.QUOTA_EXCEEDED, PublishRefusalCause.MEMORY_SHORT);

    /** @param code as {@link io.godwit.mqtt.tenant.TenantPolicy} gives it for a publish */
    static PublishRefusal ofPolicy(ReasonCode code) {
        PublishRefusalCause cause = switch (code) {
            case QOS_NOT_SUPPORTED -> PublishRefusalCause.QOS_NOT_ALLOWED;
            case RETAIN_NOT_SUPPORTED -> PublishRefusalCause.RETAIN_NOT_ALLOWED;
            case QUOTA_EXCEEDED -> PublishRefusalCause.PAYLOAD_TOO_LARGE;
            case PAYLOAD_FORMAT_INVALID -> PublishRefusalCause.PAYLOAD_FORMAT_INVALID;
            default -> throw new IllegalStateException("no setting of a tenant refuses with " + code);
        };
        return new PublishRefusal(code, cause);
    }
}
