package io.godwit.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

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

    /** A warning is for the operator to act on: clients must not be able to fill the log with them. */
    @Test
    void whatIsLostIsAWarningWhatIsRefusedIsNot() {
        Logger logger = (Logger) LoggerFactory.getLogger(EventLog.class);
        Level before = logger.getLevel();
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.setLevel(Level.INFO);
        logger.addAppender(lines);
        try {
            EventLog log = new EventLog(meters, told::set);
            meters.counter("godwit.mqtt.messages.dropped", "reason", "expired").increment();
            meters.counter("godwit.mqtt.protocol.errors").increment(3);
            log.close();
        } finally {
            logger.detachAppender(lines);
            logger.setLevel(before);
        }
        assertThat(lines.list)
                .extracting(ILoggingEvent::getLevel, ILoggingEvent::getFormattedMessage)
                .containsExactly(
                        tuple(Level.WARN, "events kind=dropped.expired count=1 total=1"),
                        tuple(Level.INFO, "events kind=protocol-violations count=3 total=3"));
    }

    @Test
    void nothingIsToldWhenNothingHappened() {
        new EventLog(meters, told::set).close();

        assertThat(told.get()).isEmpty();
    }
}
