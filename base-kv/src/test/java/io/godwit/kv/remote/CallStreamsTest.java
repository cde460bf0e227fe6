package io.godwit.kv.remote;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.link.message.VersionRange;
import io.godwit.cluster.member.Member;
import io.godwit.cluster.rpc.RpcMesh;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.protocol.NodeProtocol;
import io.godwit.kv.range.leader.RouteToken;
import io.godwit.testing.Await;
import io.grpc.CallOptions;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams of calls between nodes of this build and of one from before protobuf. */
@Timeout(60)
class CallStreamsTest {
    private static final String CLUSTER = "the-cluster";
    private static final String STORE = "inbox";
    private static final RouteToken TOKEN = new RouteToken(5, 6, 7);
    private static final NodeProtocol OLD = NodeProtocol.BEFORE_PROTOBUF;
    private static final NodeProtocol NEW = NodeProtocol.CURRENT;

    private final RpcMesh mesh = new RpcMesh(1 << 20);
    private final Map<String, Host> hosts = new ConcurrentHashMap<>();
    private final Map<String, CallService> services = new ConcurrentHashMap<>();
    private long number;

    /** Answers with the payload, or keeps the call when it is told to. */
    private static final class Host implements RangeHost {
        private final List<RangeCall> taken = Collections.synchronizedList(new ArrayList<>());
        private final ConcurrentLinkedQueue<CompletableFuture<byte[]>> held = new ConcurrentLinkedQueue<>();
        private volatile boolean holds;

        @Override
        public CompletableFuture<byte[]> handle(String store, RouteToken token, RangeCall call) {
            assertThat(store).isEqualTo(STORE);
            assertThat(token).isEqualTo(TOKEN);
            taken.add(call);
            if (!holds) {
                return CompletableFuture.completedFuture(call.payload());
            }
            CompletableFuture<byte[]> later = new CompletableFuture<>();
            held.add(later);
            return later;
        }

        private List<String> payloads() {
            return List.copyOf(taken).stream()
                    .map(call -> new String(call.payload(), UTF_8))
                    .toList();
        }
    }

    private void start(String id, NodeProtocol protocol) throws IOException {
        mesh.announcing(protocol.announcement());
        mesh.start(id, node -> serve(node, id, protocol));
    }

    private void serve(RpcMesh.Node node, String id, NodeProtocol protocol) {
        Host host = new Host();
        hosts.put(id, host);
        services.put(id, new CallService(CLUSTER, protocol, node.server(), host));
    }

    private Host host(String id) {
        return Objects.requireNonNull(hosts.get(id));
    }

    private GrpcCallPeers caller(String id, NodeProtocol protocol) {
        return new GrpcCallPeers(
                mesh.node(id).channels(),
                protocol,
                new CallFrame.Hello(0, CLUSTER, STORE, id, 1, 0),
                (store, token, call) -> CompletableFuture.failedFuture(new AssertionError("not here")),
                () -> {});
    }

    @AfterEach
    void close() {
        mesh.close();
    }

    private CompletableFuture<CallReply> send(GrpcCallPeers caller, String to, String payload) {
        return send(caller, to, call(payload));
    }

    private RangeCall call(String payload) {
        return new RangeCall(
                ++number,
                RangeCall.Kind.MUTATE,
                "key".getBytes(UTF_8),
                null,
                payload.getBytes(UTF_8),
                Deadline.afterMillis(30_000));
    }

    private static CompletableFuture<CallReply> send(GrpcCallPeers caller, String to, RangeCall call) {
        CompletableFuture<CallReply> reply = new CompletableFuture<>();
        if (!caller.send(to, TOKEN, call, reply::complete)) {
            reply.completeExceptionally(new IOException("not sent"));
        }
        return reply;
    }

    private static String value(CompletableFuture<CallReply> reply) throws Exception {
        CallReply got = reply.get(30, TimeUnit.SECONDS);
        assertThat(got.failure()).isNull();
        return new String(Objects.requireNonNull(got.value()), UTF_8);
    }

    private void awaitConnected(String from, String to) {
        Await.until(from + " reaches " + to, () -> mesh.node(from).channels().isConnected(to));
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1, 2", "2, 1", "2, 2"})
    void callsArriveInTheirOrderBetweenAllBuilds(int callerVersion, int serverVersion) throws Exception {
        NodeProtocol from = callerVersion == 1 ? OLD : NEW;
        start("a", from);
        start("b", serverVersion == 1 ? OLD : NEW);
        awaitConnected("a", "b");
        GrpcCallPeers caller = caller("a", from);
        List<CompletableFuture<CallReply>> replies = new ArrayList<>();
        List<String> sent = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            sent.add("payload " + i);
            replies.add(send(caller, "b", "payload " + i));
        }
        for (int i = 0; i < 500; i++) {
            assertThat(value(replies.get(i))).isEqualTo("payload " + i);
        }
        assertThat(host("b").payloads()).isEqualTo(sent);
        RangeCall first = host("b").taken.get(0);
        assertThat(first.kind()).isEqualTo(RangeCall.Kind.MUTATE);
        assertThat(first.key()).isEqualTo("key".getBytes(UTF_8));
        assertThat(first.deadline().remainingNanos(System.nanoTime()))
                .isBetween(TimeUnit.SECONDS.toNanos(1), TimeUnit.SECONDS.toNanos(30));
        caller.close();
    }

    /** What was sent to the process before is lost, and reported so once; nothing is sent twice. */
    @Test
    void callsGoOnInTheNewVersionAfterAnUpgrade() throws Exception {
        start("a", NEW);
        start("b", OLD);
        awaitConnected("a", "b");
        GrpcCallPeers caller = caller("a", NEW);
        assertThat(value(send(caller, "b", "before"))).isEqualTo("before");
        Host before = host("b");
        before.holds = true;
        CompletableFuture<CallReply> unanswered = send(caller, "b", "unanswered");
        Await.until("it arrives", () -> before.taken.size() == 2);
        mesh.kill("b");
        CallReply lost = unanswered.get(30, TimeUnit.SECONDS);
        assertThat(Objects.requireNonNull(lost.failure()).reason()).isEqualTo(Cause.LOST);

        start("b", new NodeProtocol(new VersionRange(2, 2)));
        awaitConnected("a", "b");
        assertThat(value(send(caller, "b", "after"))).isEqualTo("after");
        assertThat(host("b").payloads()).containsExactly("after");
        caller.close();
    }

    /**
     * The announcement of a restarted process may come after the first calls. Its stream is replaced when nothing can
     * be lost.
     */
    @Test
    void aStreamOfTheOldVersionIsReplacedOnceEveryCallIsAnswered() throws Exception {
        start("a", NEW);
        start("b", NEW);
        awaitConnected("a", "b");
        announce("a", "b", OLD);
        GrpcCallPeers caller = caller("a", NEW);
        Host first = host("b");
        first.holds = true;
        CompletableFuture<CallReply> one = send(caller, "b", "one");
        Await.until("it arrives", () -> first.taken.size() == 1);
        // from now on, only a new stream reaches the other host
        Objects.requireNonNull(services.get("b")).close();
        serve(mesh.node("b"), "b", NEW);
        announce("a", "b", NEW);

        CompletableFuture<CallReply> two = send(caller, "b", "two");
        Await.until("it arrives", () -> first.taken.size() == 2);
        first.held.forEach(each -> each.complete("late".getBytes(UTF_8)));
        assertThat(value(one)).isEqualTo("late");
        assertThat(value(two)).isEqualTo("late");
        assertThat(value(send(caller, "b", "three"))).isEqualTo("three");
        assertThat(first.payloads()).containsExactly("one", "two");
        assertThat(host("b").payloads()).containsExactly("three");
        caller.close();
    }

    @Test
    void anAnnouncementOfTheSameVersionKeepsTheStream() throws Exception {
        start("a", NEW);
        start("b", NEW);
        awaitConnected("a", "b");
        GrpcCallPeers caller = caller("a", NEW);
        assertThat(value(send(caller, "b", "one"))).isEqualTo("one");
        Objects.requireNonNull(services.get("b")).close();
        announce("a", "b", NEW);
        assertThat(value(send(caller, "b", "two"))).isEqualTo("two");
        assertThat(host("b").payloads()).containsExactly("one", "two");
        caller.close();
    }

    /** A changed announcement of the process that {@code at} is connected to. */
    private void announce(String at, String of, NodeProtocol protocol) {
        Member self = mesh.node(of).self();
        Member changed = new Member(
                self.nodeId(), self.incarnation(), self.rpc(), self.version(), self.env(), protocol.announcement());
        mesh.node(at).channels().following().updated(changed);
        Await.until("it is known", () -> changed.equals(mesh.node(at).channels().member(of)));
    }

    @Test
    void nothingIsSentWithoutACommonVersion() throws Exception {
        start("a", NEW);
        start("b", NEW);
        awaitConnected("a", "b");
        announce("a", "b", new NodeProtocol(new VersionRange(3, 4)));
        GrpcCallPeers caller = caller("a", NEW);
        assertThat(send(caller, "b", "one")).isCompletedExceptionally();
        assertThat(host("b").taken).isEmpty();
    }

    /** As after a split, when the next leadership of the same node is known before it has refused the call. */
    @Test
    void aCallThatIsSentTwiceGetsTheAnswerOfEachTime() throws Exception {
        start("a", NEW);
        start("b", NEW);
        awaitConnected("a", "b");
        GrpcCallPeers caller = caller("a", NEW);
        Host host = host("b");
        host.holds = true;
        RangeCall call = call("asked");
        CompletableFuture<CallReply> first = send(caller, "b", call);
        CompletableFuture<CallReply> second = send(caller, "b", call);
        Await.until("both arrive", () -> host.held.size() == 2);
        List<CompletableFuture<byte[]>> held = List.copyOf(host.held);
        held.get(0).complete("of the first".getBytes(UTF_8));
        held.get(1).complete("of the second".getBytes(UTF_8));
        assertThat(value(first)).isEqualTo("of the first");
        assertThat(value(second)).isEqualTo("of the second");
        caller.close();
    }

    /** A stream that breaks its rules ends; the node and other streams go on. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void damagedFramesEndTheirStreamOnly(int version) throws Exception {
        start("a", NEW);
        start("b", NEW);
        awaitConnected("a", "b");
        GrpcCallPeers caller = caller("a", NEW);
        assertThat(value(send(caller, "b", "before"))).isEqualTo("before");
        CallForm form = CallForm.of(version);
        byte[] hello = form.requests()
                .encode(CallFrame.message(new CallFrame.Hello(version, CLUSTER, STORE, "hostile", 1, 1)));
        byte[] later = CallForm.of(2)
                .requests()
                .encode(CallFrame.message(new CallFrame.Hello(9, CLUSTER, STORE, "hostile", 1, 2)));
        Random random = new Random(version);
        byte[] noise = new byte[100];
        random.nextBytes(noise);
        noise[0] = (byte) 0xff;
        assertThat(endOf(form, hello, noise)).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(endOf(form, noise)).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(endOf(form, new byte[0])).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(endOf(form, later)).isEqualTo(Status.Code.INVALID_ARGUMENT);
        byte[] foreign =
                form.requests().encode(CallFrame.message(new CallFrame.Hello(version, "x", STORE, "hostile", 1, 3)));
        assertThat(endOf(form, foreign)).isEqualTo(Status.Code.PERMISSION_DENIED);
        assertThat(value(send(caller, "b", "after"))).isEqualTo("after");
        assertThat(host("b").payloads()).containsExactly("before", "after");
        caller.close();
    }

    /** Sends the frames; returns how the server ends the stream. */
    private Status.Code endOf(CallForm form, byte[]... frames) throws Exception {
        CompletableFuture<Status.Code> end = new CompletableFuture<>();
        StreamObserver<byte[]> requests = ClientCalls.asyncBidiStreamingCall(
                Objects.requireNonNull(mesh.node("a").channels().to("b")).newCall(form.method(), CallOptions.DEFAULT),
                new StreamObserver<>() {
                    @Override
                    public void onNext(byte[] reply) {}

                    @Override
                    public void onError(Throwable thrown) {
                        end.complete(Status.fromThrowable(thrown).getCode());
                    }

                    @Override
                    public void onCompleted() {
                        end.complete(Status.Code.OK);
                    }
                });
        for (byte[] frame : frames) {
            requests.onNext(frame);
        }
        return end.get(30, TimeUnit.SECONDS);
    }
}
