package io.godwit.broker.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.Page;
import io.godwit.api.port.client.ClientFilter;
import io.godwit.api.port.client.ClientFilter.TextPattern;
import io.godwit.api.port.client.ClientReference;
import io.godwit.api.port.client.ClientView;
import io.godwit.broker.clients.node.MemoryClients;
import io.godwit.broker.clients.remote.ClientMethods;
import io.godwit.broker.clients.remote.ClientWire;
import io.godwit.broker.clients.wire.Client;
import io.godwit.broker.clients.wire.PageAnswer;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ServerCalls;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An operator's queries to one of three nodes, over gRPC. */
@Timeout(60)
class ClientsOverNodesTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(1_500);

    @TempDir
    Path directory;

    @SuppressWarnings("NullAway.Init")
    private ThreeNodes nodes;

    @BeforeEach
    void open() throws Exception {
        nodes = new ThreeNodes(directory);
        nodes.connect();
    }

    @AfterEach
    void close() {
        nodes.close();
    }

    private static ClientReference key(String clientId) {
        return new ClientReference("default", clientId);
    }

    private static <T> T get(CompletableFuture<T> question) throws Exception {
        return question.get(30, TimeUnit.SECONDS);
    }

    private ClusterAnswer<Page<ClientView, ClientReference>> list(
            @Nullable ClientReference after, int limit, Duration within) throws Exception {
        return get(nodes.all.clients(ClientFilter.ALL, after, limit, within));
    }

    private static List<String> ids(ClusterAnswer<Page<ClientView, ClientReference>> answer) {
        return answer.value().items().stream()
                .map(view -> view.clientId() + "@" + view.node())
                .toList();
    }

    @Test
    void theClientsOfAllNodesAreListedInPages() throws Exception {
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            String id = String.format("c%02d", i);
            MemoryClients node = List.of(nodes.a, nodes.b, nodes.c).get(i * i % 3);
            node.add(id);
            expected.add(id + "@" + (node == nodes.a ? "a" : node == nodes.b ? "b" : "c"));
        }
        List<String> listed = new ArrayList<>();
        ClientReference after = null;
        do {
            ClusterAnswer<Page<ClientView, ClientReference>> page = list(after, 7, LONG);
            assertThat(page.missingNodes()).isEmpty();
            assertThat(page.value().items()).hasSizeLessThanOrEqualTo(7);
            listed.addAll(ids(page));
            after = page.value().next();
        } while (after != null);
        assertThat(listed).isEqualTo(expected);
    }

    @Test
    void whatIsKnownOfAClientComesFromItsNode() throws Exception {
        nodes.b.add("c");
        ClientView view = new ClientView(
                "default",
                "c",
                "ann",
                "10.1.2.3",
                4711,
                "b",
                "tcp 0.0.0.0:1883",
                5,
                true,
                0xFFFF_FFFFL,
                60,
                1_000,
                true,
                3,
                1,
                2,
                4);
        assertThat(list(null, 10, LONG).value().items()).containsExactly(view);
        assertThat(get(nodes.all.client(key("c"), LONG)).value()).contains(view);
    }

    @Test
    void filtersHoldOnAllNodes() throws Exception {
        nodes.a.add("x-1", "y-1");
        nodes.b.add("x-2", "y-2");
        ClientFilter some = new ClientFilter(
                Optional.of("default"),
                Optional.of(new TextPattern(TextPattern.Kind.PREFIX, "x")),
                Optional.of("ann"),
                Optional.of("10.1.2.3"),
                OptionalInt.of(5),
                Optional.of(true),
                OptionalLong.of(3));
        assertThat(ids(get(nodes.all.clients(some, null, 10, LONG)))).containsExactly("x-1@a", "x-2@b");
        ClientFilter offline = new ClientFilter(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                OptionalInt.empty(),
                Optional.of(false),
                OptionalLong.empty());
        assertThat(ids(get(nodes.all.clients(offline, null, 10, LONG)))).isEmpty();
        ClientFilter noTenant = new ClientFilter(
                Optional.of("no such tenant"),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                OptionalInt.empty(),
                Optional.empty(),
                OptionalLong.empty());
        assertThat(ids(get(nodes.all.clients(noTenant, null, 10, LONG)))).isEmpty();
    }

    @Test
    void aNodeThatDoesNotAnswerIsNamedWhenTheTimeIsOver() throws Exception {
        nodes.a.add("c1");
        nodes.b.add("c2");
        nodes.c.add("c3");
        nodes.b.isSilent = true;
        long begun = System.nanoTime();
        ClusterAnswer<Page<ClientView, ClientReference>> page = list(null, 10, SHORT);
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
        assertThat(ids(page)).containsExactly("c1@a", "c3@c");
        assertThat(page.missingNodes()).containsExactly("b");
        assertThat(millis).isBetween(1_400L, 15_000L);
        assertThat(get(nodes.all.client(key("c2"), SHORT)))
                .isEqualTo(new ClusterAnswer<>(Optional.empty(), List.of("b")));
        assertThat(get(nodes.all.disconnect(key("c2"), 0x98, SHORT)))
                .isEqualTo(new ClusterAnswer<>(false, List.of("b")));
    }

    @Test
    void soIsThisNodeItselfWhenItsLoopsStandStill() throws Exception {
        nodes.a.add("c1").isSilent = true;
        nodes.b.add("c2");
        ClusterAnswer<Page<ClientView, ClientReference>> page = list(null, 10, SHORT);
        assertThat(ids(page)).containsExactly("c2@b");
        assertThat(page.missingNodes()).containsExactly("a");
    }

    @Test
    void aDeadNodeAndOneThatIsNotConnectedAreNamedAtOnce() throws Exception {
        nodes.a.add("c1");
        nodes.kill("b");
        nodes.disconnect("c");
        ClusterAnswer<Page<ClientView, ClientReference>> page = list(null, 10, LONG);
        assertThat(ids(page)).containsExactly("c1@a");
        assertThat(page.missingNodes()).containsExactly("b", "c");
    }

    /** A node that answers all calls with these bytes. */
    private static ServerServiceDefinition answering(byte[] bytes) {
        ServerServiceDefinition.Builder service = ServerServiceDefinition.builder(ClientMethods.SERVICE);
        for (var method : List.of(ClientMethods.PAGE, ClientMethods.FIND, ClientMethods.DISCONNECT)) {
            service.addMethod(method, ServerCalls.asyncUnaryCall((request, caller) -> {
                caller.onNext(bytes);
                caller.onCompleted();
            }));
        }
        return service.build();
    }

    private static Client wire(String clientId) {
        return ClientWire.client(MemoryClients.client(clientId, 0));
    }

    @Test
    void aNodeThatAnswersWhatCannotBeIsNamed() throws Exception {
        nodes.a.add("c1");
        Client good = wire("good");
        List<byte[]> lies = List.of(
                "no message".getBytes(StandardCharsets.UTF_8),
                new byte[3 << 20],
                PageAnswer.newBuilder()
                        .addAllClients(IntStream.range(0, 11)
                                .mapToObj(i -> wire("m" + (char) ('a' + i)))
                                .toList())
                        .build()
                        .toByteArray(),
                PageAnswer.newBuilder()
                        .addClients(good)
                        .addClients(good)
                        .build()
                        .toByteArray(),
                PageAnswer.newBuilder().addClients(wire("a")).build().toByteArray(), // not behind the key
                PageAnswer.newBuilder()
                        .addClients(good)
                        .setNext(ClientWire.key(MemoryClients.key("b")))
                        .build()
                        .toByteArray(),
                PageAnswer.newBuilder()
                        .setNext(ClientWire.key(MemoryClients.key("b")))
                        .build()
                        .toByteArray(),
                PageAnswer.newBuilder()
                        .addClients(good.toBuilder().setProtocolLevel(7))
                        .build()
                        .toByteArray(),
                PageAnswer.newBuilder()
                        .addClients(good.toBuilder().setQueued(-1))
                        .build()
                        .toByteArray(),
                PageAnswer.newBuilder()
                        .addClients(good.toBuilder().clearKey())
                        .build()
                        .toByteArray());
        for (byte[] lie : lies) {
            nodes.serve("c", answering(lie));
            ClusterAnswer<Page<ClientView, ClientReference>> page = list(key("b"), 10, LONG);
            assertThat(ids(page)).containsExactly("c1@a");
            assertThat(page.missingNodes())
                    .as("the node with %d bytes", lie.length)
                    .containsExactly("c");
        }
        nodes.serve(
                "c", answering(PageAnswer.newBuilder().addClients(good).build().toByteArray()));
        assertThat(ids(list(key("b"), 10, LONG))).containsExactly("c1@a", "good@c");
    }

    @Test
    void clientsThatAnotherNodeShouldHaveLeftOutAreLeftOut() throws Exception {
        nodes.serve(
                "c",
                answering(PageAnswer.newBuilder().addClients(wire("c1")).build().toByteArray()));
        ClientFilter others = new ClientFilter(
                Optional.empty(),
                Optional.of(new TextPattern(TextPattern.Kind.SUBSTRING, "z")),
                Optional.empty(),
                Optional.empty(),
                OptionalInt.empty(),
                Optional.empty(),
                OptionalLong.empty());
        assertThat(get(nodes.all.clients(others, null, 10, LONG)))
                .isEqualTo(ClusterAnswer.complete(new Page<>(List.of(), null)));
    }

    @Test
    void aSearchThatFoundNothingInItsTimeGoesOnWhereItEnded() throws Exception {
        nodes.a.add("c1", "c2");
        nodes.b.add("c3", "c4");
        nodes.b.looksUpTo = MemoryClients.key("c0");
        ClusterAnswer<Page<ClientView, ClientReference>> nothing = list(null, 10, LONG);
        assertThat(nothing).isEqualTo(ClusterAnswer.complete(new Page<>(List.of(), key("c0"))));
        nodes.b.looksUpTo = null;
        assertThat(ids(list(nothing.value().next(), 10, LONG))).containsExactly("c1@a", "c2@a", "c3@b", "c4@b");
        nodes.b.looksUpTo = MemoryClients.key("c3");
        ClusterAnswer<Page<ClientView, ClientReference>> some =
                list(nothing.value().next(), 10, LONG);
        assertThat(ids(some)).containsExactly("c1@a", "c2@a", "c3@b");
        assertThat(some.value().next()).isEqualTo(key("c3"));
        assertThat(some.missingNodes()).isEmpty();
    }

    private static ClientFilter ofTenant(String tenant) {
        return new ClientFilter(
                Optional.of(tenant),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                OptionalInt.empty(),
                Optional.empty(),
                OptionalLong.empty());
    }

    @Test
    void aListOfOneTenantBeginsAndEndsWithItAndNamesNoClientOfAnother() throws Exception {
        nodes.b.add("c1");
        nodes.b.looksUpTo = MemoryClients.key("c1"); // the page of that node ends there, whomever it is asked for
        nodes.b.add("c2");
        for (String other : List.of("a-tenant", "z-tenant")) {
            assertThat(get(nodes.all.clients(ofTenant(other), null, 10, LONG)))
                    .isEqualTo(ClusterAnswer.complete(new Page<>(List.of(), null)));
        }
        assertThat(ids(get(nodes.all.clients(ofTenant("default"), new ClientReference("a-tenant", "c9"), 10, LONG))))
                .containsExactly("c1@b");
        assertThat(get(nodes.all.clients(ofTenant("default"), new ClientReference("z-tenant", "c0"), 10, LONG)))
                .isEqualTo(ClusterAnswer.complete(new Page<>(List.of(), null)));
    }

    @Test
    void aPageOfLongTextsIsCutAndGoesOn() throws Exception {
        String text = "x".repeat(60_000);
        for (int i = 10; i < 60; i++) {
            nodes.a.add(i + text);
        }
        List<String> listed = new ArrayList<>();
        ClientReference after = null;
        do {
            ClusterAnswer<Page<ClientView, ClientReference>> page = list(after, 1_000, LONG);
            assertThat(page.value().items()).hasSizeLessThan(20);
            page.value().items().forEach(view -> listed.add(view.clientId().substring(0, 2)));
            after = page.value().next();
        } while (after != null);
        assertThat(listed).hasSize(50).doesNotHaveDuplicates();
    }

    @Test
    void aClientIsDisconnectedOnTheNodeThatHasIt() throws Exception {
        nodes.c.add("c1", "c2");
        assertThat(get(nodes.all.disconnect(key("c1"), 0x98, LONG))).isEqualTo(ClusterAnswer.complete(true));
        assertThat(nodes.c.ended).containsOnlyKeys(MemoryClients.key("c1"));
        assertThat(nodes.c.ended.values()).containsExactly(ReasonCode.ADMINISTRATIVE_ACTION);
        assertThat(get(nodes.all.disconnect(key("c1"), 0x98, LONG))).isEqualTo(ClusterAnswer.complete(false));
        assertThat(get(nodes.all.disconnect(key("c2"), 0x97, LONG))).isEqualTo(ClusterAnswer.complete(true));
    }

    @Test
    void ofTwoConnectionsDuringATakeoverTheNewerIsTold() throws Exception {
        nodes.b.connected.put(MemoryClients.key("c"), MemoryClients.client("c", 5));
        nodes.c.connected.put(MemoryClients.key("c"), MemoryClients.client("c", 6));
        assertThat(ids(list(null, 10, LONG))).containsExactly("c@c");
        assertThat(get(nodes.all.client(key("c"), LONG)).value().map(ClientView::node))
                .contains("c");
    }

    @Test
    void whatNoClientCanBeIsNotFoundAndWhatNoServerSaysIsNotSaid() throws Exception {
        nodes.a.add("c");
        for (ClientReference nobody :
                List.of(new ClientReference("no tenant", "c"), new ClientReference("default", ""))) {
            assertThat(get(nodes.all.client(nobody, LONG))).isEqualTo(ClusterAnswer.complete(Optional.empty()));
            assertThat(get(nodes.all.disconnect(nobody, 0x98, LONG))).isEqualTo(ClusterAnswer.complete(false));
        }
        assertThat(ids(list(new ClientReference("default", ""), 10, LONG))).containsExactly("c@a");
        for (int code : new int[] {-1, 0, 4, 0x8A, 0x84, 0xFF, 256}) {
            assertThat(nodes.all.disconnect(key("c"), code, LONG)).isCompletedExceptionally();
        }
        assertThat(nodes.all.clients(ClientFilter.ALL, null, 0, LONG)).isCompletedExceptionally();
        assertThat(nodes.all.clients(ClientFilter.ALL, null, 1_001, LONG)).isCompletedExceptionally();
        assertThat(nodes.a.ended).isEmpty();
    }

    @Test
    void moreQuestionsThanAFewAreRefusedUntilTheOthersAreAnswered() throws Exception {
        nodes.b.isSilent = true;
        List<CompletableFuture<?>> asked = new ArrayList<>();
        for (int i = 0; i < AllNodes.MAX_QUESTIONS; i++) {
            asked.add(nodes.all.clients(ClientFilter.ALL, null, 10, SHORT));
        }
        assertThat(nodes.all.clients(ClientFilter.ALL, null, 10, SHORT))
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .withCauseInstanceOf(NotServingException.class)
                .withMessageContaining("4 questions");
        assertThat(get(nodes.all.client(key("c"), SHORT)).missingNodes())
                .as("a question about one client is possible while pages are slow")
                .containsExactly("b");
        for (CompletableFuture<?> each : asked) {
            get(each);
        }
        assertThat(get(nodes.all.clients(ClientFilter.ALL, null, 10, SHORT)).missingNodes())
                .containsExactly("b");
    }
}
