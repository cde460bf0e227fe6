package io.godwit.broker.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.Page;
import io.godwit.api.port.access.BanAdmin;
import io.godwit.api.port.access.BanAdmin.Ban;
import io.godwit.api.port.access.BanAdmin.BanFilter;
import io.godwit.api.port.access.BanAdmin.BanKey;
import io.godwit.api.port.access.BanAdmin.Kind;
import io.godwit.broker.clients.node.MemoryClients;
import io.godwit.broker.clients.remote.BanWire;
import io.godwit.broker.clients.remote.ClientMethods;
import io.godwit.broker.clients.remote.ClientWire;
import io.godwit.broker.clients.wire.BansAnswer;
import io.godwit.broker.clients.wire.BansRequest;
import io.godwit.broker.clients.wire.LiftBanRequest;
import io.godwit.mqtt.ban.AutomaticBan;
import io.godwit.mqtt.ban.AutomaticBanQuery;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BanCause;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bans of operators, and automatic ones of three nodes. */
@Timeout(120)
class BansOverNodesTest {
    private static final Duration WITHIN = Duration.ofSeconds(30);
    private static final long NOW = 1_700_000_000_000L;
    private static final BanFilter ALL = new BanFilter(Optional.empty(), Optional.empty(), Optional.empty());

    @TempDir
    private Path directory;

    private ThreeNodes nodes;
    private final Map<BanKey, Ban> recorded = new ConcurrentSkipListMap<>();
    private BansOverNodes bans;

    @BeforeEach
    void open() throws Exception {
        nodes = new ThreeNodes(directory);
        bans = new BansOverNodes(new Recorded(), nodes.asked, () -> NOW);
        nodes.connect();
    }

    @AfterEach
    void close() {
        nodes.close();
    }

    /** Those of operators. */
    private final class Recorded implements BanAdmin {
        @Override
        public CompletableFuture<ClusterAnswer<Page<Ban, BanKey>>> bans(
                BanFilter filter, @Nullable BanKey after, int limit, Duration within) {
            List<Ban> found = recorded.values().stream()
                    .filter(ban ->
                            filter.matches(ban) && (after == null || ban.key().compareTo(after) > 0))
                    .toList();
            List<Ban> page = found.subList(0, Math.min(limit, found.size()));
            return CompletableFuture.completedFuture(ClusterAnswer.complete(
                    new Page<>(page, found.size() > limit ? page.get(limit - 1).key() : null)));
        }

        @Override
        public CompletableFuture<Made> ban(Wanted wanted, Duration within) {
            throw new AssertionError("ban");
        }

        @Override
        public CompletableFuture<ClusterAnswer<Boolean>> unban(Optional<String> tenant, String id, Duration within) {
            return CompletableFuture.completedFuture(ClusterAnswer.complete(
                    recorded.values().removeIf(ban -> ban.id().equals(id))));
        }
    }

    private void record(String id, Kind kind) {
        Ban ban = new Ban(id, kind == Kind.ADDRESS ? "" : "default", kind, "s" + id, -1, "r", "ola", NOW);
        recorded.put(ban.key(), ban);
    }

    private static String source(int number) {
        return String.format("auto-f-%016x", number);
    }

    private static void ofSource(MemoryClients node, int number) {
        AutomaticBan ban = new AutomaticBan(
                source(number),
                BanCause.SOURCE_FAILED_LOGINS,
                "",
                "192.0.2." + number,
                "",
                Duration.ofSeconds(10),
                Duration.ofSeconds(50));
        node.bans.put(ban.id(), ban);
    }

    private static void ofClient(MemoryClients node, int number, String tenant, String clientId) {
        AutomaticBan ban = new AutomaticBan(
                String.format("auto-c-%022d", number),
                BanCause.CLIENT_FLAPPING,
                tenant,
                clientId,
                "here/",
                Duration.ZERO,
                Duration.ofSeconds(5));
        node.bans.put(ban.id(), ban);
    }

    private static <T> T get(CompletableFuture<T> asked) throws Exception {
        return asked.get(60, TimeUnit.SECONDS);
    }

    private List<Ban> list(BanFilter filter, int limit) throws Exception {
        List<Ban> all = new ArrayList<>();
        BanKey after = null;
        do {
            ClusterAnswer<Page<Ban, BanKey>> page = get(bans.bans(filter, after, limit, WITHIN));
            assertThat(page.missingNodes()).isEmpty();
            assertThat(page.value().items()).hasSizeLessThanOrEqualTo(limit);
            all.addAll(page.value().items());
            BanKey next = page.value().next();
            assertThat(next == null || after == null || next.compareTo(after) > 0)
                    .as("the next page begins after the previous one")
                    .isTrue();
            after = next;
        } while (after != null);
        return all;
    }

    @Test
    void bansOfNodesAreToldWithTheirNodeReasonAndEnd() throws Exception {
        ofSource(nodes.a, 7);
        ofSource(nodes.b, 7);
        ofClient(nodes.c, 1, "t1", "flapper");
        assertThat(list(ALL, 10))
                .containsExactly(
                        new Ban(
                                "auto-c-0000000000000000000001",
                                "t1",
                                Kind.CLIENT,
                                "flapper",
                                NOW + 5_000,
                                "connected and disconnected at once, repeatedly",
                                "",
                                NOW,
                                true,
                                "c",
                                "here/"),
                        automatic("a", 7),
                        automatic("b", 7));
    }

    private static Ban automatic(String node, int number) {
        return new Ban(
                source(number),
                "",
                Kind.ADDRESS,
                "192.0.2." + number,
                NOW + 50_000,
                "failed logins",
                "",
                NOW - 10_000,
                true,
                node,
                "");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void pagesHaveEachBanOnceInOrder(long seed) throws Exception {
        Random random = new Random(seed);
        for (int i = 0; i < 30; i++) {
            for (MemoryClients node : List.of(nodes.a, nodes.b, nodes.c)) {
                if (random.nextBoolean()) {
                    ofSource(node, i);
                }
                if (random.nextInt(4) == 0) { // so that a page of a node ends early
                    ofClient(node, i, "default", "x".repeat(1 + random.nextInt(60_000)));
                }
            }
            if (random.nextBoolean()) {
                record((random.nextBoolean() ? "A" : "z") + i, Kind.USER);
            }
        }
        int count = nodes.a.bans.size() + nodes.b.bans.size() + nodes.c.bans.size() + recorded.size();
        for (int limit : List.of(1, 2, 3, 7, 1_000)) {
            assertThat(list(ALL, limit))
                    .as("seed %d limit %d", seed, limit)
                    .isSortedAccordingTo(Comparator.comparing(Ban::key))
                    .doesNotHaveDuplicates()
                    .hasSize(count);
        }
    }

    @Test
    void listsAreChosenFrom() throws Exception {
        ofSource(nodes.b, 7);
        ofClient(nodes.a, 1, "t1", "one");
        ofClient(nodes.c, 2, "t2", "two");
        record("A", Kind.USER);
        record("B", Kind.ADDRESS);
        record("C", Kind.CLIENT);
        assertThat(subjects(Optional.empty(), Optional.empty(), Optional.of(false)))
                .containsExactly("sA", "sB", "sC");
        assertThat(subjects(Optional.empty(), Optional.empty(), Optional.of(true)))
                .containsExactly("one", "two", "192.0.2.7");
        assertThat(subjects(Optional.empty(), Optional.of(Kind.ADDRESS), Optional.empty()))
                .containsExactly("sB", "192.0.2.7");
        assertThat(subjects(Optional.empty(), Optional.of(Kind.USER), Optional.empty()))
                .containsExactly("sA");
        assertThat(subjects(Optional.of("t2"), Optional.empty(), Optional.empty()))
                .containsExactly("two");
        assertThat(subjects(Optional.of("no tenant has this name"), Optional.empty(), Optional.empty()))
                .isEmpty();
    }

    private List<String> subjects(Optional<String> tenant, Optional<Kind> kind, Optional<Boolean> automatic)
            throws Exception {
        return list(new BanFilter(tenant, kind, automatic), 2).stream()
                .map(Ban::subject)
                .toList();
    }

    @Test
    void whoDoesNotAnswerIsNamedAndNobodyWaitsForItWithoutNeed() throws Exception {
        ofSource(nodes.a, 7);
        record("A", Kind.ADDRESS);
        nodes.b.isSilent = true;
        ClusterAnswer<Page<Ban, BanKey>> late = get(bans.bans(ALL, null, 10, Duration.ofSeconds(1)));
        assertThat(late.missingNodes()).containsExactly("b");
        assertThat(late.value().items()).hasSize(2);
        BanFilter ofOperators = new BanFilter(Optional.empty(), Optional.empty(), Optional.of(false));
        assertThat(bans.bans(ofOperators, null, 10, WITHIN)).isDone();
    }

    @Test
    void aBanIsLiftedOnEachNodeThatHasIt() throws Exception {
        ofSource(nodes.a, 7);
        ofSource(nodes.c, 7);
        ofClient(nodes.b, 1, "t1", "one");
        record("A", Kind.ADDRESS);
        assertThat(get(bans.unban(Optional.of("t1"), source(7), WITHIN)).value())
                .isFalse();
        assertThat(get(bans.unban(Optional.empty(), source(7), WITHIN))).isEqualTo(ClusterAnswer.complete(true));
        assertThat(get(bans.unban(Optional.empty(), source(7), WITHIN)).value()).isFalse();
        String client = nodes.b.bans.firstKey();
        assertThat(get(bans.unban(Optional.of("t2"), client, WITHIN)).value()).isFalse();
        assertThat(get(bans.unban(Optional.of("t1"), client, WITHIN)).value()).isTrue();
        assertThat(get(bans.unban(Optional.empty(), "A", WITHIN)).value()).isTrue();
        assertThat(list(ALL, 10)).isEmpty();

        ofSource(nodes.a, 7);
        nodes.c.isSilent = true;
        ClusterAnswer<Boolean> part = get(bans.unban(Optional.empty(), source(7), Duration.ofSeconds(1)));
        assertThat(part.value()).isTrue();
        assertThat(part.missingNodes()).containsExactly("c");
    }

    private void refused(MethodDescriptor<byte[], byte[]> method, byte[] request, Status.Code code) {
        io.grpc.Channel channel = nodes.to("b");
        assertThat(channel).isNotNull();
        assertThatThrownBy(() -> ClientCalls.blockingUnaryCall(
                        channel, method, io.grpc.CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.SECONDS), request))
                .isInstanceOf(StatusRuntimeException.class)
                .extracting(failure ->
                        ((StatusRuntimeException) failure).getStatus().getCode())
                .isEqualTo(code);
    }

    @Test
    void whatCannotBeAskedForIsRefused() {
        BansRequest valid = BanWire.request(new AutomaticBanQuery(TenantId.DEFAULT, true, true, "", 2));
        refused(
                ClientMethods.BANS,
                valid.toBuilder().setVersion(9).build().toByteArray(),
                Status.Code.FAILED_PRECONDITION);
        for (int limit : new int[] {0, 1, 1_002, -1}) {
            refused(
                    ClientMethods.BANS,
                    valid.toBuilder().setLimit(limit).build().toByteArray(),
                    Status.Code.INVALID_ARGUMENT);
        }
        refused(
                ClientMethods.LIFT_BAN,
                LiftBanRequest.newBuilder()
                        .setVersion(ClientWire.VERSION)
                        .setId("A")
                        .build()
                        .toByteArray(),
                Status.Code.INVALID_ARGUMENT);
    }

    @Test
    void anAnswerThatCannotBeIsNotTaken() throws Exception {
        AutomaticBanQuery query = new AutomaticBanQuery(null, true, true, source(1), 2);
        for (int number = 1; number < 4; number++) {
            ofSource(nodes.b, number);
        }
        BansAnswer valid = BanWire.answer(get(nodes.b.automaticBans(query, WITHIN)));
        assertThat(BanWire.bans(valid, query).bans()).hasSize(2);
        List<BansAnswer> wrong = List.of(
                valid.toBuilder().addBans(valid.getBans(1)).build(),
                valid.toBuilder().removeBans(0).build(), // claims to have more after a single ban
                valid.toBuilder()
                        .clearBans()
                        .addBans(valid.getBans(1))
                        .addBans(valid.getBans(0))
                        .build(),
                valid.toBuilder()
                        .setBans(0, valid.getBans(0).toBuilder().setId(source(0)))
                        .build(),
                valid.toBuilder()
                        .setBans(0, valid.getBans(0).toBuilder().setId("x"))
                        .build(),
                valid.toBuilder()
                        .setBans(0, valid.getBans(0).toBuilder().setCauseValue(9))
                        .build(),
                valid.toBuilder()
                        .setBans(0, valid.getBans(0).toBuilder().setLeftMillis(-1))
                        .build());
        for (BansAnswer each : wrong) {
            assertThatThrownBy(() -> BanWire.bans(each, query)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
