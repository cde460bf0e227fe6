package io.godwit.dist;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.Delayer;
import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistClient;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.Match;
import io.godwit.dist.client.Publisher;
import io.godwit.dist.client.RouteNumber;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.dist.index.TestReceiver;
import io.godwit.dist.route.Route;
import io.godwit.dist.route.RouteKeys;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.testing.InMemoryRangeHost;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.event.NodeWait;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.testing.Await;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DistWorkerTest {
    private static final SubscriptionOptions OPTIONS = new SubscriptionOptions(Qos.AT_LEAST_ONCE, false, false, 3);
    private static final InboxReceiver ALICE = inbox("alice", 1);
    private static final InboxReceiver BOB = inbox("bob", 1);

    private final List<Delivery> toInbox = new ArrayList<>();
    private final List<Delivery> toLive = new ArrayList<>();
    /** Ends with the process: after a restart of the host a new worker must find the routes by itself. */
    private DistWorker worker = worker();

    /** Three ranges; the filters are in all of them. */
    private final InMemoryRangeHost host = new InMemoryRangeHost(
            () -> worker.coprocessorFactory().get(),
            List.of(RouteKeys.key(filter("g"), ALICE), RouteKeys.key(filter("p"), ALICE)));

    DistWorkerTest() {
        worker.start();
    }

    @AfterEach
    void close() {
        worker.close();
        host.close();
    }

    @Test
    void aRouteIsInForceOnceItsWriteCompletesAndNotBefore() {
        host.holdCommits();
        CompletableFuture<Void> added = client().addRoute(filter("a/+"), ALICE, OPTIONS);
        host.runUntilIdle();
        assertThat(added).isNotDone();
        assertThat(receiversOf("a/b")).isEmpty();

        host.releaseCommits();
        host.await(added);
        assertThat(receiversOf("a/b")).containsExactly(ALICE);

        host.await(client().removeRoute(filter("a/+"), ALICE));
        assertThat(receiversOf("a/b")).isEmpty();
    }

    @Test
    void writingTwiceAndRemovingTwiceIsTheSameAsOnce() {
        host.await(client().addRoute(filter("$share/g/a"), ALICE, OPTIONS));
        host.await(client().addRoute(filter("$share/g/a"), ALICE, OPTIONS));
        assertThat(receiversOf("a")).containsExactly(ALICE);
        host.await(client().removeRoute(filter("$share/g/a"), ALICE));
        host.await(client().removeRoute(filter("$share/g/a"), ALICE));
        assertThat(receiversOf("a")).isEmpty();
    }

    @Test
    void onlyAMissingRouteIsWritten() {
        for (String filter : List.of("a/+", "a", "$share/g/a")) {
            host.await(client().ensureRoute(filter(filter), ALICE, OPTIONS, RouteNumber.NONE));
        }
        restart(0);
        long entries = host.appliedEntries();
        for (String filter : List.of("a/+", "a", "$share/g/a")) {
            assertThat(client().ensureRoute(filter(filter), ALICE, OPTIONS, RouteNumber.NONE))
                    .isCompleted();
        }
        host.runUntilIdle();
        assertThat(host.appliedEntries()).isEqualTo(entries);

        SubscriptionOptions others = new SubscriptionOptions(Qos.AT_MOST_ONCE, false, false, 3);
        for (String filter : List.of("a", "$share/g/a")) {
            host.await(client().ensureRoute(filter(filter), ALICE, others, RouteNumber.NONE));
        }
        assertThat(matchesOf("a")).extracting(Match::qos).containsOnly(Qos.AT_MOST_ONCE);
        host.await(client().ensureRoute(filter("a"), inbox("alice", 2), OPTIONS, RouteNumber.NONE));
        assertThat(receiversOf("a")).contains(inbox("alice", 2));
    }

    @Test
    void aRestartFindsEveryAcknowledgedRoute() {
        host.await(client().addRoute(filter("a"), ALICE, OPTIONS));
        host.await(client().addRoute(filter("h/#"), ALICE, OPTIONS));
        host.await(client().addRoute(filter("$share/g/z"), BOB, OPTIONS));
        host.await(client().addRoute(filter("z"), ALICE, OPTIONS));
        host.await(client().removeRoute(filter("z"), ALICE));

        restart(0);

        assertThat(receiversOf("a")).containsExactly(ALICE);
        assertThat(receiversOf("h")).containsExactly(ALICE);
        assertThat(receiversOf("z")).containsExactly(BOB);
        Match match = matchesOf("a").get(0);
        assertThat(match.qos()).isEqualTo(Qos.AT_LEAST_ONCE);
        assertThat(match.subscriptionIds()).containsExactly(3);
    }

    @Test
    void aRouteThatReachedTheLogOnlyIsThereAfterTheRestart() {
        host.holdCommits();
        client().addRoute(filter("a"), ALICE, OPTIONS);
        host.runUntilIdle();

        restart(1);

        assertThat(receiversOf("a")).containsExactly(ALICE);
    }

    @Test
    void anOlderLifeOfASessionDoesNotTouchTheRouteOfTheNewer() {
        InboxReceiver newer = inbox("alice", 2);
        host.await(client().addRoute(filter("a"), newer, OPTIONS));
        host.await(client().addRoute(filter("a"), ALICE, OPTIONS));
        host.await(client().removeRoute(filter("a"), ALICE));

        assertThat(receiversOf("a")).containsExactly(newer);
    }

    /** A node that was cut off sends its write after the client has subscribed again at another node. */
    @Test
    void whatAnEarlierAttachmentRemovesLateIsRefusedWhereALaterOneHasWritten() {
        for (String route : List.of("a/+", "$share/g/z")) {
            host.await(add(route, ALICE, OPTIONS, 1, 1));
            host.await(add(route, ALICE, OPTIONS, 2, 1));

            CompletableFuture<Void> late = remove(List.of(route), ALICE, 1, 2);
            host.runUntilIdle();
            assertThat(reason(late)).isEqualTo(RangeException.Cause.CLOSED);
        }
        assertThat(receiversOf("a/b")).containsExactly(ALICE);
        restart(0);
        assertThat(receiversOf("a/b")).containsExactly(ALICE);
        assertThat(receiversOf("z")).containsExactly(ALICE);

        host.await(remove(List.of("a/+"), ALICE, 2, 2));
        assertThat(receiversOf("a/b")).isEmpty();
    }

    /** Those without a newer route are removed. */
    @Test
    void ofSeveralLateRemovalsEachIsJudgedByItsRoute() {
        for (String route : List.of("a", "h", "z")) {
            host.await(add(route, ALICE, OPTIONS, 3, 1));
        }
        host.await(add("h", ALICE, OPTIONS, 4, 1));

        CompletableFuture<Void> late = remove(List.of("a", "h", "z"), ALICE, 3, 2);
        host.runUntilIdle();
        assertThat(reason(late)).isEqualTo(RangeException.Cause.CLOSED);
        assertThat(receiversOf("a")).isEmpty();
        assertThat(receiversOf("h")).containsExactly(ALICE);
        assertThat(receiversOf("z")).isEmpty();
    }

    @Test
    void whatAnEarlierAttachmentWritesLateIsRefusedToo() {
        SubscriptionOptions later = new SubscriptionOptions(Qos.AT_MOST_ONCE, false, false, 4);
        host.await(add("a", ALICE, later, 2, 1));
        CompletableFuture<Void> late = add("a", ALICE, OPTIONS, 1, 7);
        host.runUntilIdle();
        assertThat(reason(late)).isEqualTo(RangeException.Cause.CLOSED);
        CompletableFuture<Void> lateInTheSame = add("a", ALICE, OPTIONS, 2, 0);
        host.runUntilIdle();
        assertThat(reason(lateInTheSame)).isEqualTo(RangeException.Cause.CLOSED);
        assertThat(matchesOf("a")).extracting(Match::qos).containsExactly(Qos.AT_MOST_ONCE);

        host.await(add("a", ALICE, later, 2, 1)); // the same again
        host.await(add("a", ALICE, OPTIONS, 2, 2));
        assertThat(matchesOf("a")).extracting(Match::qos).containsExactly(Qos.AT_LEAST_ONCE);
    }

    /** From an earlier release, or from a node that was alone. */
    @Test
    void aRouteWithoutANumberIsOlderThanAny() {
        for (String filter : List.of("a", "b")) {
            host.await(client().addRoute(filter(filter), ALICE, OPTIONS));
        }
        host.await(remove(List.of("a"), ALICE, 1, 1));
        host.await(add("b", ALICE, OPTIONS, 1, 2));
        assertThat(receiversOf("a")).isEmpty();
        assertThat(receiversOf("b")).containsExactly(ALICE);
    }

    /** No later attachment can own these routes. */
    @Test
    void theRoutesOfAnEndedSessionAreRemovedWhateverTheirNumber() {
        host.await(add("a", ALICE, OPTIONS, 7, 7));
        host.await(add("b", ALICE, OPTIONS, 7, 8));
        host.await(client().removeRoute(filter("a"), ALICE));
        host.await(client().removeStrayRoutes(ALICE, "b"));
        assertThat(receiversOf("a")).isEmpty();
        assertThat(receiversOf("b")).isEmpty();
    }

    private CompletableFuture<Void> add(
            String filter, InboxReceiver receiver, SubscriptionOptions options, long attachNumber, long change) {
        return client().addRoutes(Map.of(filter(filter), options), receiver, new RouteNumber(attachNumber, change));
    }

    private CompletableFuture<Void> remove(
            List<String> filters, InboxReceiver receiver, long attachNumber, long change) {
        return client().removeRoutes(
                        filters.stream().map(DistWorkerTest::filter).toList(),
                        receiver,
                        new RouteNumber(attachNumber, change));
    }

    @Test
    void strayRoutesAreRemovedOverAllRangesAndOnlyThoseThatMatched() {
        for (String filter : List.of("a/1", "+/1", "a/#", "#", "$share/s/a/1", "other")) {
            host.await(client().addRoute(filter(filter), ALICE, OPTIONS));
            host.await(client().addRoute(filter(filter), BOB, OPTIONS));
        }

        host.await(client().removeStrayRoutes(ALICE, "a/1"));
        host.await(client().removeStrayRoutes(ALICE, "a/1"));

        assertThat(receiversOf("a/1")).containsOnly(BOB);
        assertThat(receiversOf("other")).containsExactlyInAnyOrder(ALICE, BOB);
        restart(0);
        assertThat(receiversOf("a/1")).containsOnly(BOB);
    }

    @Test
    void listsRoutesInPagesOverAllRanges() {
        List<TopicFilter> filters = new ArrayList<>();
        for (char c = 'a'; c <= 'z'; c++) {
            filters.add(filter(c + "/+"));
            host.await(client().addRoute(filter(c + "/+"), ALICE, OPTIONS));
        }
        List<TopicFilter> listed = new ArrayList<>();
        @Nullable String cursor = null;
        do {
            RoutePage page = host.await(worker.listRoutes(TenantId.DEFAULT, cursor, 4));
            assertThat(page.routes()).hasSizeLessThanOrEqualTo(4);
            listed.addAll(page.routes().stream().map(Route::filter).toList());
            cursor = page.cursor();
        } while (cursor != null);
        assertThat(listed).isEqualTo(filters);
        assertThat(host.await(worker.listRoutes(new TenantId("other"), null, 4)).routes())
                .isEmpty();
    }

    @Test
    void manyRoutesOfAllRangesAreWrittenAndRemovedTogether() {
        Map<TopicFilter, SubscriptionOptions> routes = new LinkedHashMap<>();
        for (int i = 0; i < 600; i++) {
            routes.put(filter((char) ('a' + i % 26) + "/" + i), OPTIONS);
        }
        host.await(client().addRoutes(routes, ALICE, RouteNumber.NONE));
        restart(0);
        assertThat(routes.keySet())
                .allSatisfy(route -> assertThat(receiversOf(route.filter())).containsExactly(ALICE));

        host.await(client().removeRoutes(routes.keySet(), ALICE, RouteNumber.NONE));
        restart(0);
        assertThat(routes.keySet())
                .allSatisfy(route -> assertThat(receiversOf(route.filter())).isEmpty());
    }

    @Test
    void aRefusedWriteFailsWithTheCauseOfTheStore() {
        host.failWrites(RangeException.Cause.DISK_FULL);
        CompletableFuture<Void> refused = client().addRoute(filter("a"), ALICE, OPTIONS);
        host.runUntilIdle();

        assertThat(reason(refused)).isEqualTo(RangeException.Cause.DISK_FULL);
        assertThat(receiversOf("a")).isEmpty();
    }

    @Test
    void routesFollowTheirSubscriptionsAlsoOnANearlyFullDisk() {
        host.refuseAdditions();
        host.await(client().addRoute(filter("a"), ALICE, OPTIONS));
        assertThat(receiversOf("a")).containsExactly(ALICE);
        host.await(client().removeRoute(filter("a"), ALICE));
        assertThat(receiversOf("a")).isEmpty();
    }

    @Test
    void routesAreRefusedAfterTheCloseAndPublishesAreNot() {
        host.await(client().addRoute(filter("a"), ALICE, OPTIONS));
        worker.close();

        assertThat(reason(client().addRoute(filter("b"), ALICE, OPTIONS))).isEqualTo(RangeException.Cause.CLOSED);
        assertThat(receiversOf("a")).containsExactly(ALICE);
    }

    @Test
    void liveSubscriptionsAreCompleteOnReturn() {
        TestReceiver live = new TestReceiver("live");
        assertThat(client().subscribe(TenantId.DEFAULT, filter("a"), live, OPTIONS))
                .isCompletedWithValue(true);
        assertThat(client().subscribe(TenantId.DEFAULT, filter("a"), live, OPTIONS))
                .isCompletedWithValue(false);
        assertThat(publish("a")).isEqualTo(DistOutcome.DELIVERED);
        assertThat(client().unsubscribe(TenantId.DEFAULT, filter("a"), live)).isCompletedWithValue(true);
        assertThat(client().unsubscribe(TenantId.DEFAULT, filter("a"), live)).isCompletedWithValue(false);
        assertThat(publish("a")).isEqualTo(DistOutcome.NO_MATCH);
    }

    @Test
    void aLateCopyUnderAFinishedTokenIsGivenToNobody() {
        client().subscribe(TenantId.DEFAULT, filter("a"), new TestReceiver("live"), OPTIONS);
        DeliveryToken token = new DeliveryToken("o", 1, 0);
        publish("a", token);
        publish("a", token);
        assertThat(toLive).hasSize(1);

        client().finished("o", 1);
        assertThat(publish("a", token)).isEqualTo(DistOutcome.DELIVERED);
        assertThat(toLive).hasSize(1);
    }

    @Test
    void aRouteThatIsNotTakenInTimeFailsAndIsCounted() {
        List<BrokerEvent> events = new ArrayList<>();
        MeterRegistry meters = new SimpleMeterRegistry();
        Duration limit = Duration.ofMillis(1);
        DistWorker impatient = new DistWorker(
                new DistConfig(DistConfig.DEFAULT.strategies(), limit),
                this::host,
                delivery -> Deliverer.DELIVERED,
                delivery -> Deliverer.DELIVERED,
                Delayer.NONE,
                events::add,
                meters);
        impatient.start();
        host.holdCommits();
        CompletableFuture<Void> added = impatient.client().addRoute(filter("a/+"), ALICE, OPTIONS);
        long began = System.nanoTime();
        Await.until("the deadline", () -> System.nanoTime() - began > limit.toNanos());
        assertThat(added).isNotDone();
        host.runUntilIdle();
        host.advanceMillis(1_000);
        host.releaseCommits();

        assertThat(added).isCompletedExceptionally();
        assertThat(meters.get("godwit.waits.over")
                        .tag("wait", "route")
                        .counter()
                        .count())
                .isOne();
        assertThat(events).singleElement().isInstanceOfSatisfying(BrokerEvent.WaitRanOut.class, over -> {
            assertThat(over.what()).isEqualTo(NodeWait.ROUTE);
            assertThat(over.limit()).isEqualTo(limit);
            assertThat(over.detail()).contains("alice", "TIMEOUT");
        });
    }

    private void restart(int survivors) {
        worker = worker();
        host.crashAndRestart(survivors);
        worker.start();
    }

    private DistWorker worker() {
        return new DistWorker(
                DistConfig.DEFAULT,
                () -> host(),
                delivery -> {
                    toLive.add(delivery);
                    return Deliverer.DELIVERED;
                },
                delivery -> {
                    toInbox.add(delivery);
                    return Deliverer.DELIVERED;
                },
                Delayer.NONE,
                EventListener.NONE,
                new SimpleMeterRegistry());
    }

    private InMemoryRangeHost host() {
        return host;
    }

    private DistClient client() {
        return worker.client();
    }

    private DistOutcome publish(String topic) {
        return publish(topic, null);
    }

    private DistOutcome publish(String topic, @Nullable DeliveryToken token) {
        Publisher publisher =
                client().publisher(new ClientInfo(TenantId.DEFAULT, new ClientId("p"), null, "127.0.0.1:1", 5));
        return publisher
                .publish(new Message(topic, new byte[0], Qos.AT_LEAST_ONCE, false, 0, MessageProperties.NONE), token)
                .join();
    }

    private List<Match> matchesOf(String topic) {
        toInbox.clear();
        publish(topic);
        return toInbox.stream().flatMap(delivery -> delivery.matches().stream()).toList();
    }

    private List<InboxReceiver> receiversOf(String topic) {
        return matchesOf(topic).stream()
                .map(match -> (InboxReceiver) match.receiver())
                .toList();
    }

    private static RangeException.Cause reason(CompletableFuture<?> failed) {
        assertThat(failed).isCompletedExceptionally();
        return failed.handle((value, failure) -> ((RangeException) failure).reason())
                .join();
    }

    private static InboxReceiver inbox(String client, long incarnation) {
        return new InboxReceiver(TenantId.DEFAULT, new ClientId(client), incarnation);
    }

    private static TopicFilter filter(String text) {
        return TopicFilter.parse(text).orElseThrow();
    }
}
