package io.godwit.mqtt;

import io.godwit.mqtt.auth.AuthConfig;
import io.godwit.mqtt.session.core.SessionConfig;
import io.godwit.mqtt.tenant.TenantConfig;
import io.godwit.mqtt.topic.TopicRules;
import io.godwit.mqtt.transport.config.BanConfig;
import io.godwit.mqtt.transport.config.ListenerConfig;
import io.godwit.mqtt.transport.config.MemoryConfig;
import io.godwit.mqtt.transport.config.TransportConfig;
import java.util.List;

/**
 * Configuration of the MQTT frontend.
 *
 * @param listeners opened in this order
 * @param topics rules for the topics of all clients
 * @param tenants how the tenant of a client is determined
 */
public record MqttConfig(
        List<ListenerConfig> listeners,
        TransportConfig transport,
        SessionConfig session,
        AuthConfig auth,
        TopicRules topics,
        MemoryConfig memory,
        BanConfig bans,
        TenantConfig tenants) {
    public MqttConfig {
        listeners = List.copyOf(listeners);
    }

    /** With a single tenant. */
    public MqttConfig(
            List<ListenerConfig> listeners,
            TransportConfig transport,
            SessionConfig session,
            AuthConfig auth,
            TopicRules topics,
            MemoryConfig memory,
            BanConfig bans) {
        this(listeners, transport, session, auth, topics, memory, bans, TenantConfig.NONE);
    }

    /** Without rules for topics. */
    public MqttConfig(
            List<ListenerConfig> listeners, TransportConfig transport, SessionConfig session, AuthConfig auth) {
        this(listeners, transport, session, auth, TopicRules.NONE, MemoryConfig.DEFAULTS, BanConfig.DEFAULTS);
    }
}
