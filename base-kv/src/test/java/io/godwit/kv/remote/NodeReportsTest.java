package io.godwit.kv.remote;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.facts.ClusterFacts;
import io.godwit.kv.protocol.ProtobufCodec;
import io.godwit.kv.protocol.WireCodec;
import io.godwit.kv.wire.HintMessage;
import io.godwit.kv.wire.LeadingMessage;
import io.godwit.kv.wire.NodeQuestion;
import io.godwit.kv.wire.ReplicaMessage;
import io.godwit.kv.wire.ReportMessage;
import io.godwit.kv.wire.StoreReport;
import io.godwit.plugin.balance.Key;
import io.godwit.plugin.balance.RangeLoad;
import io.godwit.plugin.balance.SplitHint;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodeReportsTest {
    private static final NodeReport REPORT = report("a fault");

    private static NodeReport report(String fault) {
        ReplicaReport rich = new ReplicaReport(
                7,
                9,
                new RangeBounds("b".getBytes(UTF_8), "y".getBytes(UTF_8)),
                List.of("a", "b"),
                List.of("c"),
                "a",
                1_000,
                4,
                fault,
                true,
                Optional.of(new ReplicaReport.Leading(
                        3,
                        5,
                        1 << 20,
                        new RangeLoad(Duration.ofSeconds(10), 5, 7.5, 1_000),
                        Optional.of(new SplitHint(Key.of("k".getBytes(UTF_8)), 0.25)),
                        "SPLIT",
                        12_345)));
        ReplicaReport plain = new ReplicaReport(
                8,
                1,
                new RangeBounds("y".getBytes(UTF_8), null),
                List.of("a", "b"),
                List.of(),
                "",
                0,
                0,
                "",
                false,
                Optional.empty());
        return new NodeReport(
                "a",
                2,
                3,
                new NodeReport.NodeStatus(true, 2, 0.5, 100, 50),
                Map.of("inbox", List.of(rich, plain), "dist", List.of()),
                ClusterFacts.NONE.wanting("inbox", 3).forgetting(new UUID(1, 2).toString()));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void reportsComeBackAsTheyWere(int version) throws Exception {
        WireCodec<NodeQuestion> form = QuestionForm.of(version).questions();
        NodeQuestion question = NodeQuestion.newBuilder()
                .setExchange(NodeReports.message(REPORT))
                .build();
        NodeReport read = NodeReports.report(form.decode(form.encode(question)).getExchange());
        assertThat(read).usingRecursiveComparison().isEqualTo(REPORT);
    }

    @Test
    void longFaultsAreShortened() throws Exception {
        NodeReport read = NodeReports.report(NodeReports.message(report("x".repeat(5_000))));
        assertThat(read.replicas().get("inbox").get(0).fault()).hasSize(1_003);
    }

    @Test
    void aReportOfANodeWithoutFactsHasNone() throws Exception {
        ReportMessage message =
                NodeReports.message(REPORT).toBuilder().clearFacts().build();
        assertThat(NodeReports.report(message).facts()).isEqualTo(ClusterFacts.NONE);
    }

    /** A faulty member, or one of a later release, must not stop the others. */
    @Test
    void valuesOutOfTheirBoundsAreRefused() {
        refused(ReportMessage.getDefaultInstance(), "without the status");
        refused(with(LeadingMessage.newBuilder().setMeasuredMillis(-1)), "measuredFor");
        refused(with(LeadingMessage.newBuilder().setOperationsPerSecond(Double.NaN)), "operations per second");
        refused(with(LeadingMessage.newBuilder().setOperationNanos(-1)), "operationNanos");
        refused(with(LeadingMessage.newBuilder().setHint(HintMessage.getDefaultInstance())), "empty key");
        HintMessage.Builder share =
                HintMessage.newBuilder().setKey(ByteString.copyFromUtf8("k")).setShareBelow(2);
        refused(with(LeadingMessage.newBuilder().setHint(share)), "shareBelow is 2.0");
        ReportMessage.Builder facts = NodeReports.message(REPORT).toBuilder();
        facts.getFactsBuilder().addForgotten("nobody");
        refused(facts.build(), "expected a UUID");
    }

    @Test
    void damagedReportsAreRefusedWithAnIoExceptionOnly() {
        byte[] whole = NodeReports.message(REPORT).toByteArray();
        Random random = new Random(7);
        for (int round = 0; round < 5_000; round++) {
            byte[] changed = Arrays.copyOf(whole, random.nextInt(whole.length + 1));
            for (int changes = random.nextInt(4); changes > 0 && changed.length > 0; changes--) {
                changed[random.nextInt(changed.length)] = (byte) random.nextInt();
            }
            try {
                NodeReports.report(new ProtobufCodec<>(ReportMessage.parser()).decode(changed));
            } catch (IOException e) { // the only exception
                assertThat(e.getMessage()).isNotEmpty();
            }
        }
    }

    private static ReportMessage with(LeadingMessage.Builder leading) {
        return NodeReports.message(REPORT).toBuilder()
                .addStores(StoreReport.newBuilder()
                        .setStore("retain")
                        .addReplicas(ReplicaMessage.newBuilder().setLeading(leading)))
                .build();
    }

    private static void refused(ReportMessage message, String why) {
        assertThatThrownBy(() -> NodeReports.report(message))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(why);
    }
}
