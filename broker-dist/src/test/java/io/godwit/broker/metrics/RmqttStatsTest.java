package io.godwit.broker.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.figure.NodeFigures;
import io.godwit.api.port.figure.NodeHistory;
import io.godwit.broker.clients.ClusterNodes;
import io.godwit.broker.metrics.wire.Figure;
import io.godwit.broker.metrics.wire.FiguresAnswer;
import io.godwit.broker.metrics.wire.FiguresRequest;
import io.godwit.broker.metrics.wire.Kind;
import io.godwit.cluster.rpc.LocalAccess;
import io.godwit.cluster.rpc.LocalRpcServer;
import io.godwit.cluster.rpc.RpcConnection;
import io.godwit.testing.Await;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The node {@code a} asks, and reaches others over gRPC. */
class RmqttStatsTest implements ClusterNodes {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration SOON = Duration.ofMillis(300);

    @TempDir
    private Path directory;

    private final Map<String, Channel> channels = new HashMap<>();
    private final Set<String> others = new TreeSet<>();
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    /** The time of all nodes, read by their threads. */
    private final AtomicLong millis = new AtomicLong(1_000_000);

    private final RmqttStats stats = node("a", 1);

    private RmqttStats node(String id, double connects) {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        meters.counter("godwit.mqtt.connects").increment(connects);
        meters.counter("godwit.mqtt.disconnects");
        RmqttStats made = new RmqttStats(meters, id + ":9000", this, () -> 3, millis::get);
        opened.push(made);
        return made;
    }

    private void serve(String id, ServerServiceDefinition service) throws Exception {
        Path file = directory.resolve(id);
        opened.push(LocalRpcServer.start(List.of(service), file));
        RpcConnection connection = RpcConnection.local(LocalAccess.read(file));
        opened.push(connection);
        channels.put(id, connection.channel());
        others.add(id);
    }

    /** A node with this answer, valid or not. */
    private static ServerServiceDefinition answering(byte @Nullable [] answer) {
        return ServerServiceDefinition.builder(FiguresWire.SERVICE)
                .addMethod(FiguresWire.READ, ServerCalls.asyncUnaryCall((request, caller) -> {
                    if (answer != null) {
                        caller.onNext(answer);
                        caller.onCompleted();
                    }
                }))
                .build();
    }

    @Override
    public String self() {
        return "a";
    }

    @Override
    public Set<String> others() {
        return others;
    }

    @Override
    public @Nullable Channel to(String nodeId) {
        return channels.get(nodeId);
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    @Test
    void everyNodeTellsItsOwn() throws Exception {
        serve("b", node("b", 20).service());
        serve("c", node("c", 300).service());
        ClusterAnswer<List<NodeFigures>> answer = stats.stats(PATIENCE).get(30, TimeUnit.SECONDS);
        assertThat(answer.missingNodes()).isEmpty();
        assertThat(answer.value()).extracting(NodeFigures::id).containsExactly("a", "b", "c");
        assertThat(answer.value()).extracting(NodeFigures::name).containsExactly("a:9000", "b:9000", "c:9000");
        assertThat(answer.value()).extracting(NodeFigures::status).containsOnly("Running");
        assertThat(answer.value())
                .extracting(node -> node.figures().get("connections.count"))
                .containsExactly(1L, 20L, 300L);
        assertThat(stats.sum(answer.value())).containsEntry("connections.count", 321L);
        assertThat(stats.metrics(PATIENCE).get(30, TimeUnit.SECONDS).value())
                .extracting(node -> node.figures().get("client.connected"))
                .containsExactly(1L, 20L, 300L);
    }

    @Test
    void everyNodeTellsItsLastHour() throws Exception {
        RmqttStats other = node("b", 20);
        serve("b", other.service());
        serve("noise", answering(new byte[] {(byte) 0xFF, 1, 2, 3}));
        stats.start();
        other.start();
        Await.until("two samples of each", () -> {
            millis.addAndGet(10_000);
            return stats.history(0, PATIENCE).join().value().stream()
                    .allMatch(node -> node.samples().size() >= 2);
        });
        ClusterAnswer<List<NodeHistory>> answer = stats.history(0, PATIENCE).get(30, TimeUnit.SECONDS);
        assertThat(answer.missingNodes()).containsExactly("noise");
        assertThat(answer.value()).extracting(NodeHistory::id).containsExactly("a", "b");
        assertThat(answer.value()).extracting(NodeHistory::name).containsExactly("a:9000", "b:9000");
        assertThat(answer.value())
                .extracting(node -> node.samples().get(0).connections())
                .containsExactly(1.0, 20.0);
        assertThat(stats.history(Long.MAX_VALUE, PATIENCE)
                        .get(30, TimeUnit.SECONDS)
                        .value())
                .allSatisfy(node -> assertThat(node.samples()).isEmpty());
    }

    @Test
    void aNodeThatDoesNotAnswerInTimeIsNamed() throws Exception {
        serve("b", node("b", 20).service());
        serve("c", answering(null));
        others.add("d"); // a member that there is no channel to
        ClusterAnswer<List<NodeFigures>> answer = stats.stats(SOON).get(30, TimeUnit.SECONDS);
        assertThat(answer.missingNodes()).contains("c", "d").doesNotContain("a");
    }

    @Test
    void anAnswerThatIsNoneIsNotBelieved() throws Exception {
        FiguresAnswer.Builder many = FiguresAnswer.newBuilder();
        for (int i = 0; i <= FiguresWire.MAX_FIGURES; i++) {
            many.addFigures(Figure.newBuilder().setName("x" + i).setWhole(i));
        }
        FiguresAnswer.Builder named = FiguresAnswer.newBuilder()
                .addFigures(Figure.newBuilder().setName("x".repeat(201)).setWhole(1));
        FiguresAnswer.Builder empty =
                FiguresAnswer.newBuilder().addFigures(Figure.newBuilder().setName("x"));
        serve("many", answering(many.build().toByteArray()));
        serve("long", answering(named.build().toByteArray()));
        serve("empty", answering(empty.build().toByteArray()));
        serve("noise", answering(new byte[] {(byte) 0xFF, 1, 2, 3}));
        serve("huge", answering(new byte[FiguresWire.MAX_BYTES + 1]));
        ClusterAnswer<List<NodeFigures>> answer = stats.stats(PATIENCE).get(30, TimeUnit.SECONDS);
        assertThat(answer.missingNodes()).containsExactly("empty", "huge", "long", "many", "noise");
        assertThat(answer.value()).extracting(NodeFigures::id).containsExactly("a");
    }

    @Test
    void aQuestionOfAnotherVersionIsRefused() throws Exception {
        serve("b", node("b", 20).service());
        Channel b = channels.get("b");
        byte[] later = FiguresRequest.newBuilder().setVersion(7).build().toByteArray();
        assertThat(refusal(b, later)).isEqualTo(Status.Code.FAILED_PRECONDITION);
        byte[] ofNoKind = FiguresRequest.newBuilder().setVersion(1).build().toByteArray();
        assertThat(refusal(b, ofNoKind)).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(refusal(b, new byte[] {(byte) 0xFF})).isEqualTo(Status.Code.INVALID_ARGUMENT);
        byte[] longQuestion = FiguresRequest.newBuilder()
                .setVersion(FiguresWire.VERSION)
                .setKind(Kind.STATS)
                .setUnknownFields(UnknownFieldSet.newBuilder()
                        .addField(
                                99,
                                UnknownFieldSet.Field.newBuilder()
                                        .addLengthDelimited(ByteString.copyFrom(new byte[100_000]))
                                        .build())
                        .build())
                .build()
                .toByteArray();
        assertThat(refusal(b, longQuestion)).isEqualTo(Status.Code.INVALID_ARGUMENT);
    }

    private static Status.Code refusal(Channel channel, byte[] request) {
        try {
            ClientCalls.blockingUnaryCall(channel, FiguresWire.READ, CallOptions.DEFAULT, request);
            throw new AssertionError("answered");
        } catch (StatusRuntimeException e) {
            return e.getStatus().getCode();
        }
    }

    @Test
    void questionsUnderWayAreBounded() throws Exception {
        serve("slow", answering(null));
        for (int i = 0; i < RmqttStats.MAX_QUESTIONS; i++) {
            assertThat(stats.stats(Duration.ofSeconds(2))).isNotCompletedExceptionally();
        }
        CompletableFuture<?> oneMore = stats.stats(SOON);
        assertThatThrownBy(oneMore::join).hasCauseInstanceOf(NotServingException.class);
        others.clear();
        Await.until(
                () -> "asked again",
                PATIENCE,
                () -> stats.stats(SOON)
                        .handle((answer, failure) -> failure == null)
                        .join());
    }

    @Test
    void aStoppedNodeSaysSo() {
        stats.close();
        assertThatThrownBy(stats.stats(SOON)::join).hasCauseInstanceOf(NotServingException.class);
    }
}
