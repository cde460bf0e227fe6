package io.godwit.broker.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.InvalidProtocolBufferException;
import io.godwit.api.port.figure.HistorySource;
import io.godwit.api.port.figure.NodeHistory;
import io.godwit.broker.metrics.wire.HistoryAnswer;
import io.godwit.broker.metrics.wire.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Another node's report of its last hour is accepted only if it is plausible. */
class HistoryWireTest {
    private static final List<Double> BOUNDS = List.of(1.0, 10.0);

    @Test
    void anAnswerArrivesAsItWas() throws Exception {
        List<NodeHistory.Sample> samples = List.of(
                new NodeHistory.Sample(10_000, 3, 1.5, 2.5, Map.of("expired", 0.5), List.of(1L, 2L, 3L)),
                new NodeHistory.Sample(20_000, 4, 0, 0, Map.of(), List.of()),
                new NodeHistory.Sample(30_000, 4, 0, 0, Map.of("queue_full", 1.0), List.of()));
        assertThat(HistoryWire.history("a", HistoryWire.answer("a:1", BOUNDS, samples)))
                .isEqualTo(new NodeHistory("a", "a:1", BOUNDS, samples));
    }

    @Test
    void theLargestAnswerFits() throws Exception {
        List<NodeHistory.Sample> samples = new ArrayList<>();
        Map<String, Double> dropped = new TreeMap<>();
        for (int i = 0; i < LastHour.MAX_REASONS; i++) {
            dropped.put("x".repeat(100) + i, 1e9);
        }
        for (int i = 1; i <= HistorySource.MAX_SAMPLES; i++) {
            samples.add(new NodeHistory.Sample(
                    i * 10_000L, 1e9, 1e9, 1e9, dropped, List.of(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE)));
        }
        byte[] answer = HistoryWire.answer("x".repeat(200), BOUNDS, samples);
        assertThat(answer).hasSizeLessThan(HistoryWire.MAX_BYTES);
        assertThat(HistoryWire.history("a", answer).samples()).hasSize(HistorySource.MAX_SAMPLES);
    }

    private static void assertRefused(String what, Consumer<HistoryAnswer.Builder> change) {
        HistoryAnswer.Builder answer = HistoryAnswer.newBuilder()
                .addAllBoundsMillis(BOUNDS)
                .addReasons("expired")
                .addSamples(Sample.newBuilder().setAtMillis(10_000));
        change.accept(answer);
        assertThatThrownBy(() -> HistoryWire.history("a", answer.build().toByteArray()))
                .as(what)
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whatCannotBeIsRefused() {
        assertRefused("too many samples", answer -> {
            for (int i = 2; i <= HistorySource.MAX_SAMPLES + 1; i++) {
                answer.addSamples(Sample.newBuilder().setAtMillis(i * 10_000L));
            }
        });
        assertRefused(
                "time goes back",
                answer -> answer.addSamples(Sample.newBuilder().setAtMillis(10_000)));
        assertRefused("too many reasons", answer -> {
            for (int i = 0; i < LastHour.MAX_REASONS; i++) {
                answer.addReasons("r" + i);
            }
        });
        assertRefused("a long reason", answer -> answer.addReasons("x".repeat(201)));
        assertRefused("a long name", answer -> answer.setName("x".repeat(201)));
        assertRefused("many bounds", answer -> {
            for (int i = 0; i < 64; i++) {
                answer.addBoundsMillis(i);
            }
        });
        assertRefused("no number", answer -> answer.getSamplesBuilder(0).setInPerSecond(Double.NaN));
        assertRefused("a negative number", answer -> answer.getSamplesBuilder(0).setConnections(-1));
        assertRefused("endless", answer -> answer.getSamplesBuilder(0).setOutPerSecond(Double.POSITIVE_INFINITY));
        assertRefused(
                "drops without a reason",
                answer -> answer.getSamplesBuilder(0).addDroppedPerSecond(1).addDroppedPerSecond(1));
        assertRefused(
                "latencies of other buckets",
                answer -> answer.getSamplesBuilder(0).addLatencies(1));
        assertRefused(
                "a count beyond 63 bits", answer -> answer.getSamplesBuilder(0).addAllLatencies(List.of(-1L, 0L, 0L)));
    }

    @Test
    void noiseIsRefused() {
        assertThatThrownBy(() -> HistoryWire.history("a", new byte[] {(byte) 0xFF, 1, 2, 3}))
                .isInstanceOf(InvalidProtocolBufferException.class);
    }
}
