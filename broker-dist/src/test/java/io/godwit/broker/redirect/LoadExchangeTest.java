package io.godwit.broker.redirect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.broker.clients.ClusterNodes;
import io.godwit.broker.redirect.wire.LoadAnswer;
import io.godwit.broker.redirect.wire.LoadRequest;
import io.godwit.cluster.LocalAccess;
import io.godwit.cluster.LocalRpcServer;
import io.godwit.cluster.RpcConnection;
import io.godwit.plugin.redirect.NodeLoad;
import io.godwit.testing.Await;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The node {@code a} asks {@code b} over gRPC. */
@Timeout(60)
class LoadExchangeTest implements ClusterNodes {
    @TempDir
    private Path directory;

    private final Map<String, Channel> channels = new HashMap<>();
    private final Set<String> others = new TreeSet<>();
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final AtomicLong nanos = new AtomicLong();
    private boolean isFaulty;
    private final AtomicBoolean isOpen = new AtomicBoolean(true);
    private final LoadExchange exchange = node("a", "a:1", 7);

    private LoadExchange node(String id, String reference, long connections) {
        ClusterNodes named = id.equals("a") ? this : ClusterNodes.alone(id);
        return new LoadExchange(named, reference, () -> connections, isOpen::get, nanos::get);
    }

    private void serve(String id, ServerServiceDefinition service) throws Exception {
        Path file = directory.resolve(id);
        opened.push(LocalRpcServer.start(List.of(service), file));
        RpcConnection connection = RpcConnection.local(LocalAccess.read(file));
        opened.push(connection);
        channels.put(id, connection.channel());
        others.add(id);
    }

    /** A node with this answer, valid or not; counts the requests. */
    private ServerServiceDefinition answering(byte[] answer, AtomicInteger questions) {
        return ServerServiceDefinition.builder(LoadWire.SERVICE)
                .addMethod(LoadWire.READ, ServerCalls.asyncUnaryCall((request, caller) -> {
                    questions.incrementAndGet();
                    caller.onNext(answer);
                    caller.onCompleted();
                }))
                .build();
    }

    @Override
    public String self() {
        return "a";
    }

    @Override
    public Set<String> others() {
        if (isFaulty) {
            throw new StackOverflowError();
        }
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
    void anErrorEndsOneRoundOnly() {
        isFaulty = true;
        assertThatCode(exchange::look).doesNotThrowAnyException();
    }

    private boolean knows(NodeLoad... loads) {
        exchange.look();
        return exchange.loads().others().equals(List.of(loads));
    }

    @Test
    void nodesTellHowManyClientsTheyHaveWhileTheyAreOpen() throws Exception {
        assertThat(exchange.loads().self()).isEqualTo(new NodeLoad("a", "a:1", 7));
        assertThat(exchange.loads().others()).isEmpty();
        serve("b", node("b", "b:1", 3).service());
        Await.until("b has told", () -> knows(new NodeLoad("b", "b:1", 3)));
        isOpen.set(false);
        Await.until("b is drained", this::knows);
        isOpen.set(true);
        Await.until("b is back", () -> knows(new NodeLoad("b", "b:1", 3)));
        others.clear();
        assertThat(knows()).as("b is no longer a member").isTrue();
    }

    @Test
    void whatIsOldIsNotShown() throws Exception {
        serve("b", node("b", "b:1", 3).service());
        Await.until("b has told", () -> knows(new NodeLoad("b", "b:1", 3)));
        channels.clear();
        nanos.addAndGet(LoadExchange.MAX_AGE_NANOS);
        assertThat(exchange.loads().others()).hasSize(1);
        nanos.addAndGet(1);
        assertThat(exchange.loads().others()).isEmpty();
    }

    @Test
    void whatNoNodeSaysIsPassedOver() throws Exception {
        AtomicInteger questions = new AtomicInteger();
        LoadAnswer.Builder wrong = LoadAnswer.newBuilder().setIsOpen(true).setConnections(-1);
        serve("b", answering(wrong.build().toByteArray(), questions));
        serve("c", answering(new byte[] {-1, -1, -1}, questions));
        serve(
                "d",
                answering(
                        wrong.setConnections(1)
                                .setServerReference("d\n:1")
                                .build()
                                .toByteArray(),
                        questions));
        serve("e", answering(new byte[10 * LoadWire.MAX_BYTES], questions));
        serve("f", node("f", "f:1", 9).service());
        Await.until("all were asked, and f has told", () -> knows(new NodeLoad("f", "f:1", 9)) && questions.get() > 8);
        assertThat(knows(new NodeLoad("f", "f:1", 9))).isTrue();
    }

    @Test
    void questionsOfAnotherVersionAreRefused() throws Exception {
        serve("b", node("b", "b:1", 3).service());
        for (byte[] question : new byte[][] {
            LoadRequest.newBuilder().setVersion(2).build().toByteArray(), new byte[10 * LoadWire.MAX_BYTES], {-1}
        }) {
            assertThatThrownBy(() -> ClientCalls.blockingUnaryCall(
                            channels.get("b"), LoadWire.READ, CallOptions.DEFAULT, question))
                    .hasMessageMatching("(?s)(FAILED_PRECONDITION|INVALID_ARGUMENT).*");
        }
    }
}
