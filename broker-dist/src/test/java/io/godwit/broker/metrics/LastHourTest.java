package io.godwit.broker.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.godwit.api.port.figure.HistorySource;
import io.godwit.api.port.figure.NodeHistory.Sample;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Samples of meters like those of the broker, by a clock that is moved by hand. */
class LastHourTest {
    private final BrokerMeters meters = new BrokerMeters();
    private long millis = 1_000_003;
    private final LastHour hour = new LastHour(meters.registry(), () -> millis, () -> millis * 1_000_000);
    private final Counter in = meters.registry().counter("godwit.mqtt.publishes.in");
    private final Counter out = meters.registry().counter("godwit.mqtt.publishes.out");
    private final Counter connects = meters.registry().counter("godwit.mqtt.connects");
    private final Counter disconnects = meters.registry().counter("godwit.mqtt.disconnects");

    @AfterEach
    void close() {
        meters.close();
    }

    private Counter dropped(String meter, String reason) {
        return meters.registry().counter(meter, "reason", reason);
    }

    private void pass(Duration time) {
        millis += time.toMillis();
        hour.look();
    }

    private List<Sample> all() {
        return hour.since(0);
    }

    @Test
    void aSampleIsWhatHappenedInTenSeconds() {
        in.increment(1_000);
        hour.look();
        assertThat(all()).as("the first look only records the counters").isEmpty();
        for (int i = 0; i < 10; i++) {
            in.increment(5);
            out.increment(10);
            pass(Duration.ofSeconds(1));
        }
        connects.increment(7);
        disconnects.increment(3);
        pass(Duration.ofSeconds(10));
        assertThat(all()).hasSize(2);
        Sample first = all().get(0);
        assertThat(first.atMillis()).isEqualTo(1_010_000);
        assertThat(first.inPerSecond()).isCloseTo(5, within(0.01));
        assertThat(first.outPerSecond()).isCloseTo(10, within(0.01));
        assertThat(first.connections()).isZero();
        Sample second = all().get(1);
        assertThat(second.atMillis()).isEqualTo(1_020_000);
        assertThat(second.inPerSecond()).isZero();
        assertThat(second.connections()).isEqualTo(4);
        assertThat(hour.since(1_010_000)).containsExactly(second);
    }

    @Test
    void dropsAreAddedByReason() {
        dropped("godwit.mqtt.messages.dropped", "expired").increment(50);
        hour.look();
        dropped("godwit.mqtt.messages.dropped", "expired").increment(10);
        dropped("godwit.inbox.dropped", "expired").increment(20);
        dropped("godwit.dist.dropped", "no_store").increment(5);
        meters.registry().counter("godwit.dist.peer.dropped").increment(1);
        pass(Duration.ofSeconds(10));
        assertThat(all().get(0).droppedPerSecond())
                .isEqualTo(Map.of("expired", 3.0, "no_store", 0.5, "full_link", 0.1));
        pass(Duration.ofSeconds(10));
        assertThat(all().get(1).droppedPerSecond()).isEmpty();
    }

    @Test
    void latenciesAreCountedByBucketAndStep() {
        Timer qos0 = meters.registry().timer("godwit.mqtt.latency", "qos", "0");
        Timer qos1 = meters.registry().timer("godwit.mqtt.latency", "qos", "1");
        qos0.record(Duration.ofMillis(3));
        hour.look();
        qos0.record(Duration.ofMillis(3));
        qos1.record(Duration.ofMillis(4));
        qos1.record(Duration.ofMillis(80));
        qos1.record(Duration.ofSeconds(99));
        pass(Duration.ofSeconds(10));
        List<Double> bounds = hour.boundsMillis();
        assertThat(bounds).hasSize(12).startsWith(0.1, 0.25).endsWith(10_000.0).isSorted();
        List<Long> counts = all().get(0).latencies();
        assertThat(counts).hasSize(13);
        assertThat(counts.get(bounds.indexOf(5.0))).isEqualTo(2);
        assertThat(counts.get(bounds.indexOf(100.0))).isEqualTo(1);
        assertThat(counts.get(12)).isEqualTo(1);
        assertThat(counts.stream().mapToLong(Long::longValue).sum()).isEqualTo(4);
        pass(Duration.ofSeconds(10));
        assertThat(all().get(1).latencies()).isEmpty();
    }

    /** After a pause of the process there is no gap in the hour, and no single step with all counts of the pause. */
    @Test
    void whatCameWhileNobodyLookedIsSpread() {
        hour.look();
        in.increment(400);
        pass(Duration.ofSeconds(40));
        assertThat(all()).extracting(Sample::atMillis).containsExactly(1_010_000L, 1_020_000L, 1_030_000L, 1_040_000L);
        assertThat(all()).extracting(Sample::inPerSecond).containsOnly(10.0);
    }

    @Test
    void anHourIsKeptAndNoMore() {
        hour.look();
        for (int i = 0; i < 400; i++) {
            pass(Duration.ofSeconds(10));
        }
        assertThat(all()).hasSize(HistorySource.MAX_SAMPLES);
        assertThat(all().get(359).atMillis()).isEqualTo(5_000_000);
        pass(Duration.ofDays(400)); // a machine that was suspended
        assertThat(all()).hasSize(HistorySource.MAX_SAMPLES);
        assertThat(all()).extracting(Sample::atMillis).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void aClockThatStandsStillMakesNoSample() {
        hour.look();
        pass(Duration.ofSeconds(10));
        hour.look();
        pass(Duration.ofSeconds(-5));
        assertThat(all()).hasSize(1);
    }

    @Test
    void reasonsAreBounded() {
        hour.look();
        for (int i = 0; i < 100; i++) {
            dropped("godwit.mqtt.messages.dropped", "reason" + i).increment();
        }
        pass(Duration.ofSeconds(10));
        assertThat(all().get(0).droppedPerSecond()).hasSize(LastHour.MAX_REASONS);
    }
}
