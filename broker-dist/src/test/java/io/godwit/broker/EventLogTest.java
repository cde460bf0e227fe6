package io.godwit.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class EventLogTest {
    private final MeterRegistry meters = new SimpleMeterRegistry();
    private final AtomicReference<Map<String, Long>> told = new AtomicReference<>(Map.of());

    @Test
    void whatWasLostOrRefusedIsToldByItsKindAtTheEnd() {
        EventLog log = new EventLog(meters, told::set);
        meters.counter("godwit.mqtt.messages.dropped", "reason", "queue_full_newest")
                .increment();
        meters.counter("godwit.inbox.dropped", "reason", "queue_full_newest").increment(2);
        meters.counter("godwit.inbox.dropped", "reason", "expired").increment();
        meters.counter("godwit.mqtt.connections.refused", "limit", "rate").increment();
        meters.counter("godwit.mqtt.connections.refused", "limit", "total").increment();
        meters.counter("godwit.mqtt.subscribes.denied").increment(4);
        meters.counter("godwit.mqtt.publishes.denied");
        meters.counter("godwit.mqtt.connects").increment();
        log.close();

        assertThat(told.get())
                .containsOnly(
                        Map.entry("dropped.queue-full-newest", 3L),
                        Map.entry("dropped.expired", 1L),
                        Map.entry("connections-refused", 2L),
                        Map.entry("subscribes-denied", 4L));
    }

    @Test
    void nothingIsToldWhenNothingHappened() {
        new EventLog(meters, told::set).close();

        assertThat(told.get()).isEmpty();
    }
}
