package io.godwit.kv.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.cluster.link.message.VersionRange;
import io.godwit.cluster.rpc.RpcMesh;
import io.godwit.kv.protocol.NodeProtocol;
import io.godwit.kv.wire.Drain;
import io.godwit.kv.wire.NodeAnswer;
import io.godwit.kv.wire.NodeAnswer.OutcomeCase;
import io.godwit.kv.wire.NodeQuestion;
import io.godwit.kv.wire.NodeQuestion.QuestionCase;
import io.godwit.kv.wire.RangeName;
import io.godwit.testing.Await;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.stub.ClientCalls;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Questions between nodes of this build and of one from before protobuf. */
@Timeout(60)
class NodeRpcTest {
    private static final String CLUSTER = "the-cluster";
    private static final NodeProtocol OLD = NodeProtocol.BEFORE_PROTOBUF;
    private static final NodeProtocol NEW = NodeProtocol.CURRENT;

    private final RpcMesh mesh = new RpcMesh(1 << 20);
    private final Map<String, NodeRpc> nodes = new ConcurrentHashMap<>();
    /** The last question of each node that was asked. */
    private final Map<String, NodeQuestion> asked = new ConcurrentHashMap<>();

    private void start(String id, NodeProtocol protocol) throws IOException {
        start(id, protocol, CLUSTER);
    }

    private void start(String id, NodeProtocol protocol, String cluster) throws IOException {
        mesh.announcing(protocol.announcement());
        mesh.start(id, node -> {
            NodeRpc rpc = new NodeRpc(
                    new NodeRpc.Self(cluster, id, protocol),
                    node.server(),
                    node.channels(),
                    Runnable::run,
                    "forgotten"::equals);
            rpc.on(QuestionCase.HAS_ENDED, question -> {
                asked.put(id, question);
                return CompletableFuture.completedFuture(
                        NodeAnswer.newBuilder().setHasEnded(true).build());
            });
            rpc.on(QuestionCase.DRAIN, question -> {
                throw new IOException("x".repeat(3_000));
            });
            rpc.on(
                    QuestionCase.NOTE_FACTS,
                    question -> CompletableFuture.failedFuture(new IllegalStateException("no disk")));
            nodes.put(id, rpc);
        });
        for (String from : nodes.keySet()) {
            for (String to : nodes.keySet()) {
                Await.until(
                        from + " reaches " + to,
                        () -> from.equals(to) || mesh.node(from).channels().isConnected(to));
            }
        }
    }

    @AfterEach
    void close() {
        mesh.close();
    }

    private static NodeQuestion.Builder hasEnded() {
        return NodeQuestion.newBuilder()
                .setHasEnded(RangeName.newBuilder().setStore("inbox").setRangeId(7));
    }

    private NodeAnswer ask(String from, String to, NodeQuestion.Builder question, OutcomeCase expected)
            throws Exception {
        NodeRpc rpc = Objects.requireNonNull(nodes.get(from));
        try {
            return rpc.ask(to, question, expected, 30_000).get(40, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            assertThat(e.getCause()).isInstanceOf(IOException.class);
            throw (IOException) e.getCause();
        }
    }

    /** Asks whether a range has ended; returns the version of the question that arrived. */
    private int asksInVersion(String from, String to) throws Exception {
        assertThat(ask(from, to, hasEnded(), OutcomeCase.HAS_ENDED).getHasEnded())
                .isTrue();
        NodeQuestion arrived = Objects.requireNonNull(asked.get(to));
        assertThat(arrived.getAsker()).isEqualTo(from);
        assertThat(arrived.getHasEnded().getRangeId()).isEqualTo(7);
        return arrived.getVersion();
    }

    @Test
    void eachNodeIsAskedInTheNewestVersionThatItKnows() throws Exception {
        start("new", NEW);
        start("old", OLD);
        start("other", NEW);
        assertThat(asksInVersion("new", "other")).isEqualTo(2);
        assertThat(asksInVersion("new", "old")).isEqualTo(1);
        assertThat(asksInVersion("old", "new")).isEqualTo(1);
    }

    @Test
    void anUpgradedNodeIsAskedInTheNewVersionAndOneThatWentBackInTheOld() throws Exception {
        start("a", NEW);
        start("b", OLD);
        assertThat(asksInVersion("a", "b")).isEqualTo(1);
        mesh.kill("b");
        nodes.remove("b");
        start("b", NEW);
        assertThat(asksInVersion("a", "b")).isEqualTo(2);
        mesh.kill("b");
        nodes.remove("b");
        start("b", OLD);
        assertThat(asksInVersion("a", "b")).isEqualTo(1);
    }

    @Test
    void nodesWithoutACommonVersionSayWhichTheyHave() throws Exception {
        start("a", NEW);
        start("b", new NodeProtocol(new VersionRange(3, 4)));
        assertThatThrownBy(() -> asksInVersion("a", "b"))
                .hasMessageContaining("versions 1 to 2")
                .hasMessageContaining("b announces 3-4");
    }

    @Test
    void failuresReachTheAskerInBothVersions() throws Exception {
        start("a", NEW);
        start("new", NEW);
        start("old", OLD);
        for (String to : new String[] {"new", "old"}) {
            assertThatThrownBy(() ->
                            ask("a", to, NodeQuestion.newBuilder().setDrain(Drain.newBuilder()), OutcomeCase.DONE))
                    .hasMessage("x".repeat(2_000));
            NodeQuestion.Builder facts = NodeQuestion.newBuilder();
            facts.getNoteFactsBuilder();
            assertThatThrownBy(() -> ask("a", to, facts, OutcomeCase.DONE)).hasMessage("no disk");
            NodeQuestion.Builder unknown = NodeQuestion.newBuilder();
            unknown.getResetVotersBuilder();
            assertThatThrownBy(() -> ask("a", to, unknown, OutcomeCase.DONE))
                    .hasMessageContaining("not ready for that question");
            assertThatThrownBy(() -> ask("a", to, hasEnded(), OutcomeCase.DONE)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void nodesOfAnotherClusterAndForgottenOnesAreRefused() throws Exception {
        start("a", NEW);
        start("b", NEW, "another");
        start("forgotten", NEW);
        assertThatThrownBy(() -> asksInVersion("a", "b"))
                .hasMessageContaining("of cluster another, not of the-cluster");
        assertThatThrownBy(() -> asksInVersion("forgotten", "a")).hasMessageContaining("was forgotten");
    }

    /** Version 1 cannot carry texts above 65,535 bytes; they fail the question, not the thread. */
    @Test
    void aTextThatIsTooLongForAnOldNodeFailsTheQuestion() throws Exception {
        start("a", NEW);
        start("old", OLD);
        start("new", NEW);
        NodeQuestion.Builder large =
                NodeQuestion.newBuilder().setHasEnded(RangeName.newBuilder().setStore("x".repeat(70_000)));
        assertThatThrownBy(() -> ask("a", "old", large, OutcomeCase.HAS_ENDED)).hasMessageContaining("cannot be sent");
        assertThat(ask("a", "new", large, OutcomeCase.HAS_ENDED).getHasEnded()).isTrue();
    }

    @Test
    void damagedQuestionsAndOnesOfAnotherVersionAreAnsweredWithTheReason() throws Exception {
        start("a", NEW);
        start("b", NEW);
        NodeQuestion other =
                hasEnded().setVersion(1).setClusterId(CLUSTER).setAsker("a").build();
        assertThat(raw(2, other.toByteArray()).getFailure())
                .contains("question of version 1, expected versions 1 to 2");
        NodeQuestion later = other.toBuilder().setVersion(3).build();
        assertThat(raw(2, later.toByteArray()).getFailure()).contains("question of version 3");
        NodeQuestion good = other.toBuilder().setVersion(2).build();
        byte[] whole = good.toByteArray();
        assertThat(raw(2, whole).getHasEnded()).isTrue();
        for (int length = 0; length < whole.length; length++) {
            assertThat(raw(2, Arrays.copyOf(whole, length)).getOutcomeCase()).isEqualTo(OutcomeCase.FAILURE);
        }
        assertThat(raw(1, new byte[] {9}).getFailure()).contains("question of version 9, expected 1");
    }

    private NodeAnswer raw(int version, byte[] frame) throws Exception {
        QuestionForm form = QuestionForm.of(version);
        Channel channel = Objects.requireNonNull(mesh.node("a").channels().to("b"));
        byte[] answer = ClientCalls.futureUnaryCall(channel.newCall(form.method(), CallOptions.DEFAULT), frame)
                .get(30, TimeUnit.SECONDS);
        return form.answers().apply(QuestionCase.HAS_ENDED).decode(answer);
    }
}
