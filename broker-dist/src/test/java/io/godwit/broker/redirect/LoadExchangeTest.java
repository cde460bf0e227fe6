package io.godwit.broker.redirect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.broker.clients.ClusterNodes;
import io.godwit.broker.clients.ServedNodes;
import io.godwit.broker.redirect.wire.LoadAnswer;
import io.godwit.broker.redirect.wire.LoadRequest;
import io.godwit.plugin.redirect.NodeLoad;
import io.godwit.testing.Await;
import io.grpc.CallOptions;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ClientCalls;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The node {@code a} asks {@code b} over gRPC. */
@Timeout(60)
class LoadExchangeTest {
    @TempDir
    private Path directory;

    private final AtomicLong nanos = new AtomicLong();
    private final AtomicBoolean isOpen = new AtomicBoolean(true);
    private ServedNodes nodes;
    private LoadExchange exchange;

    @BeforeEach
    void open() {
        nodes = new ServedNodes(directory);
        exchange = exchange(nodes, "a:1", 7);
    }

    @AfterEach
    void close() throws Exception {
        nodes.close();
    }

    private LoadExchange exchange(ClusterNodes of, String reference, long connections) {
        return new LoadExchange(of, reference, () -> connections, isOpen::get, nanos::get);
    }

    /** The service of another node. */
    private ServerServiceDefinition node(String id, String reference, long connections) {
        return exchange(ClusterNodes.alone(id), reference, connections).service();
    }

    private static ServerServiceDefinition answering(byte[] answer, AtomicInteger questions) {
        return ServedNodes.answering(LoadWire.SERVICE, LoadWire.READ, answer, questions);
    }

    @Test
    void anErrorEndsOnlyOneRound() {
        nodes.failWith(new StackOverflowError());
        assertThatCode(exchange::look).doesNotThrowAnyException();
    }

    private boolean knows(NodeLoad... loads) {
        exchange.look();
        return exchange.loads().others().equals(List.of(loads));
    }

    @Test
    void openNodesReportTheirNumberOfClients() throws Exception {
        assertThat(exchange.loads().self()).isEqualTo(new NodeLoad("a", "a:1", 7));
        assertThat(exchange.loads().others()).isEmpty();
        nodes.serve("b", node("b", "b:1", 3));
        Await.until("b has told", () -> knows(new NodeLoad("b", "b:1", 3)));
        isOpen.set(false);
        Await.until("b is drained", this::knows);
        isOpen.set(true);
        Await.until("b is back", () -> knows(new NodeLoad("b", "b:1", 3)));
        nodes.removeOthers();
        assertThat(knows()).as("b is no longer a member").isTrue();
    }

    @Test
    void oldLoadsAreNotShown() throws Exception {
        nodes.serve("b", node("b", "b:1", 3));
        Await.until("b has told", () -> knows(new NodeLoad("b", "b:1", 3)));
        nodes.disconnect();
        nanos.addAndGet(LoadExchange.MAX_AGE_NANOS);
        assertThat(exchange.loads().others()).hasSize(1);
        nanos.addAndGet(1);
        assertThat(exchange.loads().others()).isEmpty();
    }

    @Test
    void invalidAnswersAreIgnored() throws Exception {
        AtomicInteger questions = new AtomicInteger();
        LoadAnswer.Builder wrong = LoadAnswer.newBuilder().setIsOpen(true).setConnections(-1);
        nodes.serve("b", answering(wrong.build().toByteArray(), questions));
        nodes.serve("c", answering(new byte[] {-1, -1, -1}, questions));
        nodes.serve(
                "d",
                answering(
                        wrong.setConnections(1)
                                .setServerReference("d\n:1")
                                .build()
                                .toByteArray(),
                        questions));
        nodes.serve("e", answering(new byte[10 * LoadWire.MAX_BYTES], questions));
        nodes.serve("f", node("f", "f:1", 9));
        Await.until("all were asked, and f has told", () -> knows(new NodeLoad("f", "f:1", 9)) && questions.get() > 8);
        assertThat(knows(new NodeLoad("f", "f:1", 9))).isTrue();
    }

    @Test
    void questionsOfAnotherVersionAreRefused() throws Exception {
        nodes.serve("b", node("b", "b:1", 3));
        for (byte[] question : new byte[][] {
            LoadRequest.newBuilder().setVersion(2).build().toByteArray(), new byte[10 * LoadWire.MAX_BYTES], {-1}
        }) {
            assertThatThrownBy(() ->
                            ClientCalls.blockingUnaryCall(nodes.to("b"), LoadWire.READ, CallOptions.DEFAULT, question))
                    .hasMessageMatching("(?s)(FAILED_PRECONDITION|INVALID_ARGUMENT).*");
        }
    }
}
