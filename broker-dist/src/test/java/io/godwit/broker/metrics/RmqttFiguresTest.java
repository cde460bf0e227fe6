package io.godwit.broker.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RmqttFiguresTest {
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private long nanos;
    private final RmqttFigures figures = new RmqttFigures(meters, () -> nanos);
    private final AtomicLong sockets = gauge("godwit.mqtt.sockets");

    private AtomicLong gauge(String name, String... tags) {
        AtomicLong value = new AtomicLong();
        Gauge.builder(name, value::get).tags(tags).register(meters);
        return value;
    }

    private void count(String name, double more, String... tags) {
        meters.counter(name, tags).increment(more);
    }

    @Test
    void connectionsAndTheirMostAreTold() {
        count("godwit.mqtt.connects", 5);
        count("godwit.mqtt.disconnects", 0);
        sockets.set(7);
        assertThat(figures.statsNow())
                .containsEntry("connections.count", 5L)
                .containsEntry("connections.max", 5L)
                .containsEntry("handshakings.count", 2L);
        count("godwit.mqtt.disconnects", 4);
        sockets.set(1);
        assertThat(figures.statsNow())
                .containsEntry("connections.count", 1L)
                .containsEntry("connections.max", 5L)
                .containsEntry("handshakings.count", 0L)
                .containsEntry("handshakings.max", 2L);
    }

    @Test
    void theRateIsOfTheTimeSinceTheLastLook() {
        count("godwit.mqtt.connects", 0);
        nanos = TimeUnit.SECONDS.toNanos(1);
        figures.look();
        count("godwit.mqtt.connects", 50);
        count("godwit.mqtt.connects.refused", 5);
        nanos = TimeUnit.SECONDS.toNanos(3);
        assertThat(figures.statsNow()).containsEntry("handshakings_rate.count", 27.5);
        nanos += 1_000_000; // too soon to say anything new
        assertThat(figures.statsNow()).containsEntry("handshakings_rate.count", 27.5);
        nanos += TimeUnit.SECONDS.toNanos(1);
        assertThat(figures.statsNow())
                .containsEntry("handshakings_rate.count", 0.0)
                .containsEntry("handshakings_rate.max", 27.5);
    }

    /** Figures that are not counted are absent rather than 0, so that a dashboard shows nothing. */
    @Test
    void whatIsNotCountedIsLeftOut() {
        count("godwit.mqtt.connects", 5);
        count("godwit.mqtt.disconnects", 1);
        assertThat(figures.statsNow()).doesNotContainKeys("sessions.count", "message_queues.count", "retained.count");
        gauge("godwit.inbox.sessions.detached").set(3);
        assertThat(figures.statsNow()).containsEntry("sessions.count", 7L);
        assertThat(figures.metricsNow()).doesNotContainKey("messages.acked").containsEntry("client.connected", 5L);
    }

    @Test
    void subscriptionsAreTakenApart() {
        gauge("godwit.dist.subscriptions", "sessions", "live").set(3);
        gauge("godwit.dist.subscriptions", "sessions", "stored").set(40);
        gauge("godwit.dist.filters.of.nodes").set(5);
        assertThat(figures.statsNow())
                .containsEntry("subscriptions.count", 43L)
                .containsEntry("subscriptions_stored.count", 40L)
                .containsEntry("routes.count", 48L);
    }

    @Test
    void messagesAreCountedByWhereTheyComeFrom() {
        count("godwit.mqtt.publishes.in", 100);
        count("godwit.dist.published.own", 20);
        count("godwit.inbox.wills.published", 3);
        count("godwit.mqtt.publishes.out", 70);
        count("godwit.mqtt.publishes.out.retained", 10);
        count("godwit.mqtt.messages.dropped", 1, "reason", "expired");
        count("godwit.mqtt.messages.dropped", 2, "reason", "queue_full");
        count("godwit.inbox.dropped", 4, "reason", "queue_full");
        count("godwit.dist.dropped", 8, "reason", "store_failed");
        Map<String, Number> told = figures.metricsNow();
        assertThat(told)
                .containsEntry("messages.publish", 123L)
                .containsEntry("messages.publish.custom", 100L)
                .containsEntry("messages.publish.system", 20L)
                .containsEntry("messages.publish.lastwill", 3L)
                .containsEntry("messages.delivered", 70L)
                .containsEntry("messages.delivered.custom", 60L)
                .containsEntry("messages.delivered.retain", 10L)
                .containsEntry("messages.dropped", 15L);
    }
}
