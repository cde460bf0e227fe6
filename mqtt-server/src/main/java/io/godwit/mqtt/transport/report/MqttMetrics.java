package io.godwit.mqtt.transport.report;

import io.micrometer.core.instrument.MeterRegistry;

/**
 * The frontend's counters, by subject. LongAdders, because every event loop counts and none may wait for another; the
 * registry reads them on demand. Counters with an event are updated through {@link MqttReports}.
 */
public final class MqttMetrics {
    private final ConnectMetrics connects;
    private final TrafficMetrics traffic;
    private final MessageMetrics messages;
    private final SessionMetrics sessions;
    private final NodeMetrics node;

    public MqttMetrics(MeterRegistry registry) {
        MqttCounters counters = new MqttCounters(registry);
        connects = new ConnectMetrics(counters);
        traffic = new TrafficMetrics(counters);
        messages = new MessageMetrics(counters);
        sessions = new SessionMetrics(counters);
        node = new NodeMetrics(counters);
    }

    public ConnectMetrics connects() {
        return connects;
    }

    public TrafficMetrics traffic() {
        return traffic;
    }

    public MessageMetrics messages() {
        return messages;
    }

    public SessionMetrics sessions() {
        return sessions;
    }

    NodeMetrics node() {
        return node;
    }
}
