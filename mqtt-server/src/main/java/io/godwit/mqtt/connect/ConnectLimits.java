package io.godwit.mqtt.connect;

import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.field.ProtocolLevel;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.WillPacket;
import io.godwit.mqtt.tenant.TenantPolicy;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.tenant.TenantSetting;
import org.jspecify.annotations.Nullable;

/** Compares a CONNECT with the settings of its tenant. Stateless; any thread. */
final class ConnectLimits {
    /** Why a CONNECT is refused. */
    record Violation(ReasonCode code, String detail) {}

    private ConnectLimits() {}

    static boolean isV5(Connect packet) {
        return packet.protocolLevel() == ProtocolLevel.MQTT_5;
    }

    /** How a CONNECT violates its tenant's settings; null if it does not. */
    static @Nullable Violation violation(TenantPolicy policy, Connect packet, ClientInfo client) {
        if (!policy.allowsProtocol(packet.protocolLevel())) {
            return new Violation(
                    ReasonCode.UNSUPPORTED_PROTOCOL_VERSION, "the tenant does not allow this MQTT version");
        }
        if (!policy.allowsClientId(client.clientId().value())) {
            return new Violation(ReasonCode.CLIENT_IDENTIFIER_NOT_VALID, "the client identifier is over the limit");
        }
        return packet.will() == null ? null : violation(policy, packet.will(), isV5(packet));
    }

    private static @Nullable Violation violation(TenantPolicy policy, WillPacket will, boolean isV5) {
        if (!policy.allows(will.topic())) {
            return new Violation(ReasonCode.TOPIC_NAME_INVALID, "the topic of the will is over the limit");
        }
        boolean isTooLarge = will.payload().length > policy.number(TenantSetting.MAX_WILL_BYTES);
        ReasonCode refusal = isTooLarge
                ? ReasonCode.QUOTA_EXCEEDED
                : policy.refusal(
                        will.qos(),
                        will.retain(),
                        will.payload(),
                        will.properties().payloadFormat());
        if (refusal == null) {
            return null;
        }
        boolean canTell = isV5 || refusal == ReasonCode.QUOTA_EXCEEDED;
        return new Violation(canTell ? refusal : ReasonCode.NOT_AUTHORIZED, "the tenant does not allow such a will");
    }

    /** The Session Expiry Interval that the client gets. */
    static long expirySeconds(Connect packet, TenantPolicy policy) {
        if (isV5(packet)) {
            return policy.expirySeconds(Math.max(0, packet.sessionExpirySeconds()));
        }
        return packet.cleanStart() ? 0 : policy.expirySeconds(policy.number(TenantSetting.MAX_EXPIRY_SECONDS));
    }
}
