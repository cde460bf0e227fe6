package io.godwit.mqtt.transport.socket;

import io.godwit.mqtt.transport.config.ListenerConfig;
import io.godwit.mqtt.transport.limit.Bans;
import io.godwit.mqtt.transport.limit.HalfReceived;
import io.godwit.mqtt.transport.report.MqttReports;

/** What the connections of one listener share. */
public record ListenerScope(ListenerConfig config, MqttReports reports, HalfReceived halfReceived, Bans bans) {}
