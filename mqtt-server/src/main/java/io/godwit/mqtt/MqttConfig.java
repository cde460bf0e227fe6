package io.godwit.mqtt;

import io.godwit.mqtt.auth.AuthConfig;
import io.godwit.mqtt.session.SessionConfig;
import io.godwit.mqtt.topic.TopicRules;
import io.godwit.mqtt.transport.BanConfig;
import io.godwit.mqtt.transport.ListenerConfig;
import io.godwit.mqtt.transport.MemoryConfig;
import io.godwit.mqtt.transport.TransportConfig;
import java.util.List;

/**
 * The MQTT frontend.
 *
 * @param listeners opened in this order
 * @param topics for the topics of all clients
 */
public record MqttConfig(
        List<ListenerConfig> listeners,
        TransportConfig transport,
        SessionConfig session,
        AuthConfig auth,
        TopicRules topics,
        MemoryConfig memory,
        BanConfig bans) {
    public MqttConfig {
        listeners = List.copyOf(listeners);
    }

    /** Without rules for topics. */
    public MqttConfig(
            List<ListenerConfig> listeners, TransportConfig transport, SessionConfig session, AuthConfig auth) {
        this(listeners, transport, session, auth, TopicRules.NONE, MemoryConfig.DEFAULTS, BanConfig.DEFAULTS);
    }
}
