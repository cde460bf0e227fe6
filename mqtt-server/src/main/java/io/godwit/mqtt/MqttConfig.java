package io.godwit.mqtt;

import io.godwit.mqtt.auth.AuthConfig;
import io.godwit.mqtt.session.SessionConfig;
import io.godwit.mqtt.transport.ListenerConfig;
import io.godwit.mqtt.transport.TransportConfig;
import java.util.List;

/**
 * The MQTT frontend.
 *
 * @param listeners opened in this order
 */
public record MqttConfig(
        List<ListenerConfig> listeners, TransportConfig transport, SessionConfig session, AuthConfig auth) {
    public MqttConfig {
        listeners = List.copyOf(listeners);
    }
}
