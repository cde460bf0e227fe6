package io.godwit.mqtt.connect;

import io.godwit.mqtt.packet.ConnAck;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.session.Session;
import io.godwit.mqtt.tenant.TenantPolicy;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.tenant.TenantSetting;
import org.jspecify.annotations.Nullable;

/** Builds the CONNACK of success: what the client gets of what its CONNECT asked for. Stateless; on the loop. */
final class ConnectAnswer {
    private ConnectAnswer() {}

    /**
     * @param isPresent whether the session is resumed
     * @param expirySeconds Session Expiry Interval that the client gets
     * @param admission adds the authentication fields; null for none
     */
    static ConnAck success(
            Connect packet, Session opened, boolean isPresent, long expirySeconds, @Nullable Admission admission) {
        ConnAck.Builder answer = ConnAck.builder(isPresent, ReasonCode.SUCCESS);
        if (ConnectLimits.isV5(packet)) {
            TenantPolicy policy = opened.agreed();
            answer.receiveMaximum((int) policy.number(TenantSetting.RECEIVE_MAXIMUM))
                    .maximumPacketSize(opened.connection().maxPacketBytes())
                    .topicAliasMaximum((int) policy.number(TenantSetting.TOPIC_ALIAS_MAXIMUM))
                    .retainAvailable(policy.is(TenantSetting.RETAIN))
                    .wildcardSubscriptionAvailable(policy.is(TenantSetting.WILDCARDS))
                    .subscriptionIdentifiersAvailable(policy.is(TenantSetting.SUBSCRIPTION_IDENTIFIERS))
                    .sharedSubscriptionAvailable(policy.is(TenantSetting.SHARED));
            if (policy.maxQos() != Qos.EXACTLY_ONCE) { // [MQTT5-3.2.2-9]
                answer.maximumQos(policy.maxQos().value());
            }
            if (admission != null) {
                admission.complete(answer);
            }
            if (packet.clientId().isEmpty()) {
                answer.assignedClientId(opened.client().clientId().value()); // [MQTT5-3.2.2-16]
            }
            int keepAlive = policy.keepAliveSeconds(packet.keepAliveSeconds(), true);
            if (policy.number(TenantSetting.SERVER_KEEP_ALIVE_SECONDS) > 0 || keepAlive != packet.keepAliveSeconds()) {
                answer.serverKeepAliveSeconds(keepAlive); // [MQTT5-3.2.2-21]
            }
            if (Math.max(0, packet.sessionExpirySeconds()) != expirySeconds) {
                answer.sessionExpirySeconds(expirySeconds); // [MQTT5-3.2.2.3.2]
            }
        }
        return answer.build();
    }
}
