package io.godwit.broker.records;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.LimitReachedException;
import io.godwit.api.port.NotAllowedException;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.OperationException;
import io.godwit.api.port.access.BanAdmin;
import io.godwit.api.port.access.BanAdmin.Ban;
import io.godwit.api.port.access.BanAdmin.Kind;
import io.godwit.api.port.access.BanAdmin.Made;
import io.godwit.api.port.access.TokenAdmin.Token;
import io.godwit.dist.DistConfig;
import io.godwit.dist.DistWorker;
import io.godwit.dist.client.Delayer;
import io.godwit.dist.client.Deliverer;
import io.godwit.dist.record.RecordStore;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.testing.InMemoryRangeHost;
import io.godwit.mqtt.ban.BanTable;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.EventListener;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Bans and tokens over a dist store in memory. */
class OperatorRecordsTest {
    private static final Duration WITHIN = Duration.ofSeconds(20);
    private static final long HOUR = EndedRecords.AFTER_MILLIS;

    private long now = 1_700_000_000_000L;
    /** The state that is lost when the process ends. */
    private DistWorker dist = worker();

    private final InMemoryRangeHost host =
            new InMemoryRangeHost(() -> dist.coprocessorFactory().get());
    private BanTable table;
    private OperatorBans bans;
    private OperatorTokens tokens;

    OperatorRecordsTest() {
        open();
    }

    private DistWorker worker() {
        return new DistWorker(
                DistConfig.DEFAULT,
                () -> host(),
                delivery -> Deliverer.DELIVERED,
                delivery -> Deliverer.DELIVERED,
                Delayer.NONE,
                EventListener.NONE,
                new SimpleMeterRegistry());
    }

    private InMemoryRangeHost host() {
        return host;
    }

    private void open() {
        dist.start();
        table = new BanTable(() -> now);
        bans = new OperatorBans(dist.records(), table, () -> now, new OperatorBans.Bounds(5, 4, 2, 2));
        tokens = new OperatorTokens(dist.records(), () -> now, 3);
    }

    private void restart() {
        dist = worker();
        host.crashAndRestart();
        host.runUntilIdle();
        open();
    }

    @AfterEach
    void close() {
        dist.close();
        host.close();
    }

    private Made ban(Kind kind, String subject, OptionalLong seconds) {
        return host.await(asked(kind, subject, seconds, false));
    }

    private CompletableFuture<Made> asked(Kind kind, String subject, OptionalLong seconds, boolean isTenantBound) {
        return bans.ban(new BanAdmin.Wanted("default", kind, subject, seconds, "r", "ola", isTenantBound), WITHIN);
    }

    private boolean isBanned(String clientId, String userName, String address) {
        return table.isBanned(new ClientInfo(TenantId.DEFAULT, new ClientId(clientId), userName, address + ":1", 5));
    }

    private boolean unban(Optional<String> tenant, Made made) {
        return host.await(bans.unban(tenant, made.ban().id(), WITHIN)).value();
    }

    private List<Ban> all(BanAdmin.BanFilter filter) {
        List<Ban> all = new ArrayList<>();
        BanAdmin.BanKey after = null;
        do {
            var page = host.await(bans.bans(filter, after, 2, WITHIN)).value();
            all.addAll(page.items());
            after = page.next();
        } while (after != null);
        return all;
    }

    private static BanAdmin.BanFilter filter() {
        return new BanAdmin.BanFilter(Optional.empty(), Optional.empty(), Optional.empty());
    }

    @Test
    void aBanIsInForceWhenItIsMadeAndAfterARestartUntilItIsLifted() {
        Made client = ban(Kind.CLIENT, "c", OptionalLong.empty());
        assertThat(client.isNew()).isTrue();
        Made user = ban(Kind.USER, "u", OptionalLong.of(60));
        Made address = ban(Kind.ADDRESS, "10.1.2.3/8", OptionalLong.empty());
        assertThat(address.ban().subject()).isEqualTo("10.0.0.0/8");
        assertThat(ban(Kind.ADDRESS, "10.9.9.9/8", OptionalLong.empty()).isNew())
                .as("the same block in another spelling")
                .isFalse();
        for (int i = 0; i < 2; i++) {
            assertThat(isBanned("c", null, "192.0.2.1")).isTrue();
            assertThat(isBanned("x", "u", "192.0.2.1")).isTrue();
            assertThat(isBanned("x", null, "10.200.0.1")).isTrue();
            assertThat(isBanned("x", null, "192.0.2.1")).isFalse();
            assertThat(all(filter()))
                    .extracting(Ban::id)
                    .isSorted()
                    .containsExactlyInAnyOrder(
                            client.ban().id(), user.ban().id(), address.ban().id());
            restart();
        }
        assertThat(unban(Optional.of("other"), client)).isFalse();
        assertThat(unban(Optional.of("default"), address)).isFalse();
        assertThat(unban(Optional.empty(), client)).isTrue();
        assertThat(unban(Optional.empty(), client)).isFalse();
        assertThat(isBanned("c", null, "192.0.2.1")).isFalse();
        assertThat(all(new BanAdmin.BanFilter(Optional.empty(), Optional.of(Kind.USER), Optional.empty())))
                .hasSize(1);
    }

    @Test
    void noMoreThanThereIsRoomForAndOneMayStillBeChanged() {
        for (int i = 0; i < 5; i++) {
            ban(Kind.CLIENT, "c" + i, OptionalLong.empty());
        }
        CompletableFuture<Made> full = bans.ban(
                new BanAdmin.Wanted("default", Kind.CLIENT, "more", OptionalLong.empty(), "", "", false), WITHIN);
        host.runUntilIdle();
        assertThat(full).failsWithin(WITHIN).withThrowableThat().withCauseInstanceOf(LimitReachedException.class);
        assertThat(ban(Kind.CLIENT, "c1", OptionalLong.of(5)).isNew()).isFalse();
        CompletableFuture<Made> wrong = bans.ban(
                new BanAdmin.Wanted("default", Kind.ADDRESS, "here", OptionalLong.empty(), "", "", false), WITHIN);
        assertThat(wrong).isCompletedExceptionally();
        CompletableFuture<Made> badTenant =
                bans.ban(new BanAdmin.Wanted("a b", Kind.CLIENT, "c", OptionalLong.empty(), "", "", false), WITHIN);
        assertThat(badTenant).isCompletedExceptionally();
    }

    @Test
    void whoIsBoundToATenantLeavesRoomForTheOthers() {
        for (String tenant : List.of("t1", "t2")) {
            for (int i = 0; i < 3; i++) {
                CompletableFuture<Made> made = bans.ban(
                        new BanAdmin.Wanted(tenant, Kind.CLIENT, "c" + i, OptionalLong.empty(), "", "ten", true),
                        WITHIN);
                if (i < 2) {
                    host.await(made);
                } else {
                    assertThat(made)
                            .failsWithin(WITHIN)
                            .withThrowableThat()
                            .withCauseInstanceOf(LimitReachedException.class);
                }
            }
        }
        assertThat(ban(Kind.CLIENT, "mine", OptionalLong.empty()).isNew()).isTrue();
    }

    private void isNotAllowed(CompletableFuture<?> asked) {
        host.runUntilIdle();
        assertThat(asked).failsWithin(WITHIN).withThrowableThat().withCauseInstanceOf(NotAllowedException.class);
    }

    @Test
    void aTenantsOperatorNeitherLiftsNorReplacesABanOfTheCluster() {
        Optional<String> tenant = Optional.of("default");
        Made made = ban(Kind.CLIENT, "c", OptionalLong.of(60));
        isNotAllowed(bans.unban(tenant, made.ban().id(), WITHIN));
        isNotAllowed(asked(Kind.CLIENT, "c", OptionalLong.of(1), true));
        now += 59_999;
        assertThat(isBanned("c", null, "192.0.2.1")).isTrue();

        now += 1;
        Made own = host.await(asked(Kind.CLIENT, "c", OptionalLong.empty(), true));
        assertThat(own.isNew()).as("in place of one that has ended").isFalse();
        assertThat(host.await(asked(Kind.CLIENT, "c", OptionalLong.of(60), true))
                        .isNew())
                .isFalse();
        assertThat(unban(tenant, own)).isTrue();
        assertThat(isBanned("c", null, "192.0.2.1")).isFalse();
    }

    @Test
    void theClustersOperatorReplacesATenantsBanAndHasItThen() {
        Made tenants = host.await(asked(Kind.USER, "u", OptionalLong.empty(), true));
        ban(Kind.USER, "u", OptionalLong.empty());
        restart();
        isNotAllowed(bans.unban(Optional.of("default"), tenants.ban().id(), WITHIN));
        assertThat(isBanned("x", "u", "192.0.2.1")).isTrue();
        assertThat(unban(Optional.empty(), tenants)).isTrue();
    }

    private CompletableFuture<Made> inTenant(String tenant, String client, OptionalLong seconds) {
        return bans.ban(new BanAdmin.Wanted(tenant, Kind.CLIENT, client, seconds, "", "ten", true), WITHIN);
    }

    private void isFull(CompletableFuture<Made> made) {
        host.runUntilIdle();
        assertThat(made).failsWithin(WITHIN).withThrowableThat().withCauseInstanceOf(LimitReachedException.class);
    }

    @Test
    void tenantsTogetherLeaveBansToTheCluster() {
        for (String tenant : List.of("t1", "t2")) {
            host.await(inTenant(tenant, "a", OptionalLong.empty()));
            host.await(inTenant(tenant, "b", OptionalLong.empty()));
        }
        isFull(inTenant("t3", "a", OptionalLong.empty()));
        restart();
        isFull(inTenant("t3", "a", OptionalLong.empty()));
        assertThat(ban(Kind.CLIENT, "mine", OptionalLong.empty()).isNew()).isTrue();
        isFull(asked(Kind.CLIENT, "another", OptionalLong.empty(), false));
    }

    @Test
    void bansOfAddressesHaveABoundOfTheirOwn() {
        for (int i = 0; i < 5; i++) {
            ban(Kind.USER, "u" + i, OptionalLong.empty());
        }
        isFull(asked(Kind.CLIENT, "c", OptionalLong.empty(), false));
        ban(Kind.ADDRESS, "192.0.2.1", OptionalLong.empty());
        ban(Kind.ADDRESS, "192.0.2.2", OptionalLong.empty());
        isFull(asked(Kind.ADDRESS, "192.0.2.3", OptionalLong.empty(), false));
    }

    @Test
    void aBanThatHasEndedGivesWayWhenThereIsNoRoom() {
        Made ended = host.await(inTenant("t1", "a", OptionalLong.of(10)));
        host.await(inTenant("t1", "b", OptionalLong.empty()));
        isFull(inTenant("t1", "c", OptionalLong.empty()));
        now += 10_000;
        assertThat(host.await(inTenant("t1", "c", OptionalLong.empty())).isNew())
                .isTrue();
        assertThat(all(filter())).extracting(Ban::subject).containsExactlyInAnyOrder("b", "c");
        assertThat(unban(Optional.empty(), ended)).isFalse();
        isFull(inTenant("t1", "d", OptionalLong.empty()));
    }

    /** The removal is made, or another node has made it. */
    @Test
    void aBanIsMadeThoughTheAnswerToTheRemovalOfAnEndedOneIsLost() {
        RangeClient losing = (RangeClient) Proxy.newProxyInstance(
                RangeClient.class.getClassLoader(), new Class<?>[] {RangeClient.class}, (proxy, method, args) -> {
                    Object answer = method.invoke(host, args);
                    return method.getName().equals("relieveAgain")
                            ? ((CompletableFuture<?>) answer).thenCompose(reply -> lost())
                            : answer;
                });
        RecordStore records = new RecordStore(
                () -> losing,
                dist.records().index(),
                deadline -> CompletableFuture.completedFuture(List.of()),
                Optional::empty);
        OperatorBans bansHere =
                new OperatorBans(records, new BanTable(() -> now), () -> now, new OperatorBans.Bounds(5, 4, 2, 2));
        host.await(inTenant("t1", "a", OptionalLong.of(10)));
        host.await(inTenant("t1", "b", OptionalLong.empty()));
        now += 10_000;
        Made made = host.await(bansHere.ban(
                new BanAdmin.Wanted("t1", Kind.CLIENT, "c", OptionalLong.empty(), "", "ten", true), WITHIN));
        assertThat(made.isNew()).isTrue();
        assertThat(all(filter())).extracting(Ban::subject).containsExactlyInAnyOrder("b", "c");
    }

    private static CompletableFuture<Object> lost() {
        return CompletableFuture.failedFuture(new RangeException(RangeException.Cause.TIMEOUT, "the answer is lost"));
    }

    @Test
    void thereIsNoRoomForABanWhileTheEndedOneCannotBeRemoved() {
        host.await(inTenant("t1", "a", OptionalLong.of(10)));
        host.await(inTenant("t1", "b", OptionalLong.empty()));
        now += 10_000;
        host.failWrites(RangeException.Cause.DISK_FULL);
        isFull(inTenant("t1", "c", OptionalLong.empty()));
        host.acceptWrites();
        assertThat(host.await(inTenant("t1", "c", OptionalLong.empty())).isNew())
                .isTrue();
    }

    @Test
    void whatHasEndedIsRemovedAnHourLaterByTheFirstNodeAlone() {
        ban(Kind.CLIENT, "short", OptionalLong.of(10));
        ban(Kind.CLIENT, "long", OptionalLong.of(2 * 3_600));
        ban(Kind.CLIENT, "ever", OptionalLong.empty());
        host.await(tokens.add(token("short", now + 10_000), WITHIN));
        host.await(tokens.add(token("ever", -1), WITHIN));
        boolean[] isFirst = {true};
        try (EndedRecords ended = new EndedRecords(dist.records(), bans, tokens, () -> isFirst[0], () -> now)) {
            now += 10_000;
            assertThat(isBanned("short", null, "192.0.2.1"))
                    .as("a ban that has ended has no effect")
                    .isFalse();
            now += HOUR;
            ended.look();
            host.runUntilIdle();
            assertThat(bans.endedBefore(Long.MAX_VALUE)).hasSize(2);
            now += 1;
            isFirst[0] = false;
            ended.look();
            host.runUntilIdle();
            assertThat(table.size()).isEqualTo(3);
            isFirst[0] = true;
            ended.look();
            host.runUntilIdle();
            assertThat(all(filter())).extracting(Ban::subject).containsExactlyInAnyOrder("long", "ever");
            assertThat(tokens.tokens()).extracting(Token::name).containsExactly("ever");
        }
    }

    /** Another node renews the ban of a client while this one is about to remove the ban that has ended. */
    @Test
    void whatWasMadeAnewIsNotRemoved() {
        ban(Kind.CLIENT, "c", OptionalLong.of(10));
        now += 10_001 + HOUR;
        try (EndedRecords ended = new EndedRecords(dist.records(), bans, tokens, () -> true, () -> now)) {
            host.holdCommits();
            CompletableFuture<Made> anew = bans.ban(
                    new BanAdmin.Wanted("default", Kind.CLIENT, "c", OptionalLong.empty(), "", "", false), WITHIN);
            ended.look();
            host.runUntilIdle();
            host.releaseCommits();
            host.await(anew);
            host.runUntilIdle();
        }
        assertThat(isBanned("c", null, "192.0.2.1")).isTrue();
    }

    private Token token(String name, long until) {
        return new Token(name, "viewer", "t1", "ab".repeat(32), "", until, "ada", now);
    }

    @Test
    void tokensAreThereOnceAndAfterARestart() {
        List<Token> none = tokens.tokens();
        assertThat(host.await(tokens.add(token("a", -1), WITHIN))).isTrue();
        assertThat(tokens.tokens()).isNotSameAs(none);
        assertThat(host.await(tokens.add(token("a", now + 5), WITHIN))).isFalse();
        Token subject = new Token("s", "admin", "", "", "CN=ops", -1, "ada", now);
        assertThat(host.await(tokens.add(subject, WITHIN))).isTrue();
        restart();
        assertThat(tokens.tokens()).containsExactly(token("a", -1), subject);
        assertThat(tokens.tokens()).isSameAs(tokens.tokens());
        assertThat(host.await(tokens.remove("a", WITHIN)).value()).isTrue();
        assertThat(host.await(tokens.remove("a", WITHIN)).value()).isFalse();
        assertThat(tokens.tokens()).containsExactly(subject);
        host.await(tokens.add(token("b", -1), WITHIN));
        host.await(tokens.add(token("c", -1), WITHIN));
        assertThat(tokens.add(token("d", -1), WITHIN))
                .failsWithin(WITHIN)
                .withThrowableThat()
                .withCauseInstanceOf(LimitReachedException.class);
    }

    /** A node that does not confirm may still accept the token, and have the ban. */
    @Test
    void whoRemovesLearnsWhichNodesHaveNotConfirmed() {
        RecordStore partly = new RecordStore(
                () -> host,
                dist.records().index(),
                deadline -> CompletableFuture.completedFuture(List.of("b")),
                Optional::empty);
        OperatorTokens tokensHere = new OperatorTokens(partly, () -> now);
        OperatorBans bansHere = new OperatorBans(partly, new BanTable(() -> now), () -> now);
        host.await(tokens.add(token("a", -1), WITHIN));
        Made made = ban(Kind.CLIENT, "c", OptionalLong.empty());
        assertThat(host.await(tokensHere.remove("a", WITHIN))).isEqualTo(new ClusterAnswer<>(true, List.of("b")));
        assertThat(host.await(tokensHere.remove("a", WITHIN)))
                .as("again")
                .isEqualTo(new ClusterAnswer<>(false, List.of("b")));
        assertThat(host.await(bansHere.unban(Optional.of("other"), made.ban().id(), WITHIN)))
                .as("of another tenant")
                .isEqualTo(ClusterAnswer.complete(false));
        assertThat(host.await(bansHere.unban(Optional.empty(), made.ban().id(), WITHIN)))
                .isEqualTo(new ClusterAnswer<>(true, List.of("b")));
        assertThat(host.await(bansHere.unban(Optional.empty(), made.ban().id(), WITHIN)))
                .as("again")
                .isEqualTo(new ClusterAnswer<>(false, List.of("b")));
    }

    @Test
    void aStoreThatRefusesIsTold() {
        host.failWrites(RangeException.Cause.DISK_FULL);
        CompletableFuture<Boolean> refused = tokens.add(token("a", -1), WITHIN);
        host.runUntilIdle();
        assertThat(refused).failsWithin(WITHIN).withThrowableThat().withCauseInstanceOf(NotServingException.class);
        assertThat(tokens.tokens()).isEmpty();
        host.acceptWrites();
        dist.close();
        assertThat(tokens.add(token("a", -1), WITHIN))
                .failsWithin(WITHIN)
                .withThrowableThat()
                .withCauseInstanceOf(NotServingException.class);
    }

    @Test
    void aRequestThatTheStoreNeverAnswersEnds() {
        host.holdCommits();
        CompletableFuture<Boolean> late = tokens.add(token("a", -1), Duration.ofMillis(50));
        assertThat(late).failsWithin(WITHIN).withThrowableThat().withCauseInstanceOf(NotServingException.class);
        List<CompletableFuture<Boolean>> many = new ArrayList<>();
        for (int i = 0; i <= Changes.MAX_UNDER_WAY; i++) {
            many.add(tokens.add(token("t" + i, -1), WITHIN));
        }
        assertThat(many.get(Changes.MAX_UNDER_WAY)).isCompletedExceptionally();
        assertThat(many.get(0)).isNotDone();
    }

    /** Refused with a message for the operator; nothing is stored. */
    @Test
    void whatANodeMightNotReadIsRefused() {
        RecordStore refusing = new RecordStore(
                () -> host,
                dist.records().index(),
                deadline -> CompletableFuture.completedFuture(List.of()),
                () -> Optional.of("node b is of an earlier version"));
        OperatorBans others = new OperatorBans(refusing, new BanTable(() -> now), () -> now);
        BanAdmin.Wanted wanted =
                new BanAdmin.Wanted("default", Kind.CLIENT, "lamp", OptionalLong.empty(), "", "ola", false);
        assertThat(others.ban(wanted, WITHIN))
                .failsWithin(WITHIN)
                .withThrowableThat()
                .havingRootCause()
                .isInstanceOfSatisfying(
                        OperationException.class,
                        refused -> assertThat(refused.kind()).isEqualTo(OperationException.Kind.REFUSED))
                .withMessage("node b is of an earlier version");
        assertThat(all(filter())).isEmpty();
    }
}
