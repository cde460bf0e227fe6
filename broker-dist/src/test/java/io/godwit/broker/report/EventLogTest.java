package io.godwit.broker.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.tuple;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.event.NodeWait;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class EventLogTest {
    private final MeterRegistry meters = new SimpleMeterRegistry();
    private final AtomicReference<Map<String, Long>> told = new AtomicReference<>(Map.of());

    private final AtomicInteger beats = new AtomicInteger();

    @Test
    void whatWasLostOrRefusedIsToldByItsKindAtTheEnd() {
        EventLog log = new EventLog(meters, told::set, beats::incrementAndGet);
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
    void anErrorEndsOneRoundOnly() {
        EventLog log = new EventLog(meters, told::set, () -> {
            if (beats.incrementAndGet() == 1) {
                throw new NoClassDefFoundError("of a plugin");
            }
        });
        meters.counter("godwit.mqtt.subscribes.denied").increment();
        assertThatCode(log::guardedTell).doesNotThrowAnyException();
        assertThat(told.get()).isEmpty();
        log.close();
        assertThat(told.get()).containsEntry("subscribes-denied", 1L);
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
            EventLog log = new EventLog(meters, told::set, () -> {});
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

    /** Gives the first event of each kind in a period as an example; later ones are not formatted. */
    @Test
    void aLineGivesAnExample() {
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger(EventLog.class);
        Level before = logger.getLevel();
        lines.start();
        logger.setLevel(Level.INFO);
        logger.addAppender(lines);
        try {
            EventLog log = new EventLog(meters, told::set, beats::incrementAndGet);
            meters.counter("godwit.mqtt.connects.denied").increment(2);
            meters.counter("godwit.inbox.dropped", "reason", "queue_full_newest")
                    .increment();
            meters.counter("godwit.inbox.dropped", "reason", "expired").increment();
            assertThat(log.isListening(BrokerEvent.ClientConnected.class)).isFalse();
            assertThat(log.isListening(BrokerEvent.ConnectDenied.class)).isTrue();
            ClientInfo client = new ClientInfo(
                    TenantId.DEFAULT,
                    new ClientId("tracker\nWARN x\u2028WARN y\u2029z\u202Edcba\u2066\u200Bé"),
                    "ann",
                    "10.1.2.3:4711",
                    4);
            log.onEvent(new BrokerEvent.ConnectDenied(client, RefusalReason.BAD_CREDENTIALS, "wrong password"));
            assertThat(log.isListening(BrokerEvent.ConnectDenied.class)).isFalse();
            log.onEvent(new BrokerEvent.MessageDropped(
                    TenantId.DEFAULT, new ClientId("away"), "a/" + "b".repeat(5000), DropReason.EXPIRED));
            log.close();
        } finally {
            logger.detachAppender(lines);
            logger.setLevel(before);
        }

        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .satisfiesExactlyInAnyOrder(
                        denied -> assertThat(denied)
                                .startsWith("events kind=connects-denied count=2 total=2 for example ")
                                .contains(
                                        "tracker?WARN x?WARN y?z?dcba??é",
                                        "ann",
                                        "10.1.2.3:4711",
                                        "BAD_CREDENTIALS",
                                        "wrong password"),
                        expired -> assertThat(expired)
                                .startsWith("events kind=dropped.expired count=1 total=1 for example ")
                                .contains("away", "a/bb")
                                .containsPattern("b\\.\\.\\. of 5\\d{3}$")
                                .hasSizeLessThan(600),
                        full -> assertThat(full).isEqualTo("events kind=dropped.queue-full-newest count=1 total=1"));
    }

    /** A line about a wait is useless without the name of what was waited for. */
    @Test
    void ofWaitsThatRanOutEachKindHasAnExample() {
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger(EventLog.class);
        Level before = logger.getLevel();
        lines.start();
        logger.setLevel(Level.INFO);
        logger.addAppender(lines);
        try {
            EventLog log = new EventLog(meters, told::set, beats::incrementAndGet);
            meters.counter("godwit.waits.over", "wait", "home_lost").increment(2);
            meters.counter("godwit.waits.over", "wait", "link").increment();
            for (NodeWait wait : List.of(NodeWait.HOME_LOST, NodeWait.LINK, NodeWait.HOME_LOST)) {
                assertThat(log.isListening(BrokerEvent.WaitRanOut.class)).isTrue();
                log.onEvent(new BrokerEvent.WaitRanOut(wait, Duration.ofSeconds(20), "for n2"));
            }
            log.close();
        } finally {
            logger.detachAppender(lines);
            logger.setLevel(before);
        }
        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly(
                        "events kind=waits-ran-out.home-lost count=2 total=2 for example "
                                + "WaitRanOut[what=HOME_LOST, limit=PT20S, detail=for n2]",
                        "events kind=waits-ran-out.link count=1 total=1 for example "
                                + "WaitRanOut[what=LINK, limit=PT20S, detail=for n2]");
    }

    @Test
    void nothingIsToldWhenNothingHappened() {
        new EventLog(meters, told::set, beats::incrementAndGet).close();

        assertThat(told.get()).isEmpty();
        assertThat(beats).hasValue(1);
    }
}
