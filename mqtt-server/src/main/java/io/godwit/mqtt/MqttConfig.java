package io.godwit.mqtt;

import io.godwit.mqtt.session.SessionConfig;
import io.godwit.mqtt.transport.TransportConfig;
import java.net.InetSocketAddress;

/**
 * The MQTT frontend.
 *
 * @param tcp where to listen; port 0 means any free one
 */
public record MqttConfig(InetSocketAddress tcp, TransportConfig transport, SessionConfig session) {}
