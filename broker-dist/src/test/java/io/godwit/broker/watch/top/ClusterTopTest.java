package io.godwit.broker.watch.top;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.figure.TopSource.BusyClient;
import io.godwit.api.port.figure.TopSource.BusyTopic;
import io.godwit.api.port.figure.TopSource.SlowSubscriber;
import io.godwit.broker.clients.ClusterNodes;
import io.godwit.broker.watch.question.WatchWire;
import io.godwit.cluster.rpc.LocalAccess;
import io.godwit.cluster.rpc.LocalRpcServer;
import io.godwit.cluster.rpc.RpcConnection;
import io.godwit.testing.Await;
import io.grpc.Channel;
import io.grpc.ServerServiceDefinition;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The node a, which asks, and b, which it reaches over gRPC. */
class ClusterTopTest implements ClusterNodes {
    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir
    private Path directory;

    private final Map<TopKind, List<TopItem>> ofA = new ConcurrentHashMap<>();
    private final Map<TopKind, List<TopItem>> ofB = new ConcurrentHashMap<>();
    private volatile boolean isBMute;
    private final ClusterTop a = new ClusterTop(this, executor -> (question, within) -> told(ofA, question));
    private final ClusterTop b = new ClusterTop(
            ClusterNodes.alone("b"),
            executor -> (question, within) -> isBMute ? new CompletableFuture<>() : told(ofB, question));
    private @Nullable LocalRpcServer server;
    private @Nullable RpcConnection connection;
    private @Nullable Channel toB;

    private static CompletableFuture<List<TopItem>> told(Map<TopKind, List<TopItem>> lists, TopKind.Question question) {
        return CompletableFuture.completedFuture(lists.getOrDefault(question.kind(), List.of()).stream()
                .filter(item ->
                        question.tenant().isEmpty() || question.tenant().get().equals(item.tenant()))
                .sorted(TopItem.order(question.kind()))
                .limit(question.limit())
                .toList());
    }

    @BeforeEach
    void open() throws Exception {
        Path file = directory.resolve("b");
        server = LocalRpcServer.start(
                List.of(b.addTo(ServerServiceDefinition.builder(WatchWire.SERVICE))
                        .build()),
                file);
        connection = RpcConnection.local(LocalAccess.read(file));
        toB = connection.channel();
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
        if (connection != null && server != null) {
            connection.close();
            server.close();
        }
    }

    @Override
    public String self() {
        return "a";
    }

    @Override
    public Set<String> others() {
        return Set.of("b");
    }

    @Override
    public @Nullable Channel to(String nodeId) {
        return toB;
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    private static TopItem item(String name, long... numbers) {
        return new TopItem("default", name, Arrays.stream(numbers).boxed().toList());
    }

    @Test
    void whatNodesHaveOfATopicIsAddedUp() throws Exception {
        ofA.put(TopKind.TOPICS, List.of(item("x", 10, 1, 10, 0, 100, 0), item("y", 15, 0, 15, 0, 150, 0)));
        ofB.put(TopKind.TOPICS, List.of(item("x", 10, 2, 10, 0, 100, 0), item("z", 1, 0, 1, 0, 10, 0)));
        ClusterAnswer<List<BusyTopic>> answer = get(a.topics(Optional.empty(), 2, LONG));
        assertThat(answer.missingNodes()).isEmpty();
        assertThat(answer.value())
                .containsExactly(new BusyTopic("default", "x", 20, 200, 3), new BusyTopic("default", "y", 15, 150, 0));
    }

    @Test
    void theSlowestIsFirstWithItsNode() throws Exception {
        ofA.put(TopKind.SLOW_SUBSCRIBERS, List.of(item("average", 500, 600, 0), item("quick", 1, 700, 0)));
        ofB.put(TopKind.SLOW_SUBSCRIBERS, List.of(item("never", 0, 9_000, 9_000)));
        assertThat(get(a.slowSubscribers(Optional.empty(), 2, LONG)).value())
                .containsExactly(
                        new SlowSubscriber("default", "never", "b", 0, 9_000, 9_000),
                        new SlowSubscriber("default", "average", "a", 500, 600, 0));
    }

    @Test
    void clientsAreByMessagesOrBytes() throws Exception {
        ofB.put(TopKind.CLIENTS_BY_MESSAGES, List.of(item("often", 9, 0, 4, 5, 1, 2)));
        ofB.put(TopKind.CLIENTS_BY_BYTES, List.of(item("large", 900, 30, 1, 0, 900, 0)));
        assertThat(get(a.clients(Optional.empty(), false, 10, LONG)).value())
                .containsExactly(new BusyClient("default", "often", 4, 5, 1, 2, 0));
        assertThat(get(a.clients(Optional.of("default"), true, 10, LONG)).value())
                .containsExactly(new BusyClient("default", "large", 1, 0, 900, 0, 30));
        assertThat(get(a.clients(Optional.of("birds"), true, 10, LONG)).value()).isEmpty();
    }

    @Test
    void whoDoesNotAnswerIsNamed() throws Exception {
        ofA.put(TopKind.TOPICS, List.of(item("x", 10, 1, 10, 0, 100, 0)));
        isBMute = true;
        ClusterAnswer<List<BusyTopic>> late = get(a.topics(Optional.empty(), 2, Duration.ofMillis(300)));
        assertThat(late.missingNodes()).containsExactly("b");
        assertThat(late.value()).hasSize(1);
        toB = null;
        assertThat(get(a.topics(Optional.empty(), 2, LONG)).missingNodes()).containsExactly("b");
    }

    @Test
    void numbersThatLackAreNotTaken() throws Exception {
        ofB.put(TopKind.TOPICS, List.of(item("x", 10, 1)));
        assertThat(get(a.topics(Optional.empty(), 2, LONG)).missingNodes()).containsExactly("b");
    }

    @Test
    void questionsAreBounded() {
        isBMute = true;
        List<CompletableFuture<?>> under = new ArrayList<>();
        Await.until("one that is refused at once", () -> {
            CompletableFuture<?> asked = a.topics(Optional.empty(), 2, Duration.ofSeconds(1));
            under.add(asked);
            return asked.isCompletedExceptionally();
        });
        assertThat(under.remove(under.size() - 1))
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(NotServingException.class);
        assertThat(under).hasSizeGreaterThanOrEqualTo(ClusterTop.MAX_QUESTIONS);
        under.forEach(CompletableFuture::join);
        isBMute = false;
        assertThat(a.topics(Optional.empty(), 2, LONG).join().missingNodes()).isEmpty();
    }

    @Test
    void aNodeThatStopsSaysSo() {
        a.close();
        assertThatThrownBy(() -> get(a.topics(Optional.empty(), 2, LONG)))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(NotServingException.class);
    }
}
