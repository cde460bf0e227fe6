package io.godwit.mqtt.transport;

/** What the connections of one listener share. */
record ListenerScope(ListenerConfig config, MqttReports reports, HalfReceived halfReceived, Bans bans) {}
