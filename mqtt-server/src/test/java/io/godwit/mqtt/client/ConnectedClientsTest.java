package io.godwit.mqtt.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.catalog.IdPattern;
import io.godwit.mqtt.codec.DecodeLimits;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.mqtt.transport.config.TransportConfig;
import io.godwit.mqtt.transport.loop.EventLoops;
import io.godwit.mqtt.transport.loop.LoopContext;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The list over two event loops, which both are the test's thread: it runs their tasks one at a time. */
class ConnectedClientsTest {
    private static final int MANY = 100_000;

    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final List<LoopContext> loops = List.of(new LoopContext(0, tasks::add), new LoopContext(1, tasks::add));
    private final ClientIndexes indexes = new ClientIndexes(2);
    private long now;
    private long nanosPerLook;
    private final ConnectedClients clients = new ConnectedClients(loops, indexes, () -> now += nanosPerLook);
    private final List<FakeClient> all = new ArrayList<>();

    private FakeClient add(int loop, FakeClient client) {
        indexes.of(loops.get(loop)).add(client);
        all.add(client);
        return client;
    }

    private void addMany() {
        for (int i = 0; i < MANY; i++) {
            add(0, new FakeClient(String.format("c%06d", i)));
        }
    }

    private int looks() {
        return all.stream().mapToInt(client -> client.looks).sum();
    }

    private <T> T run(CompletableFuture<T> question) {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
        assertThat(question).isCompleted();
        return question.join();
    }

    private CompletableFuture<ClientPage<ConnectedClient>> ask(
            ClientCriteria criteria, @Nullable ClientKey after, int limit) {
        return clients.page(new ClientQuery(criteria, after, limit, Long.MAX_VALUE), Runnable::run);
    }

    private static List<String> ids(ClientPage<ConnectedClient> page) {
        return page.entries().stream()
                .map(client -> client.info().clientId().value())
                .toList();
    }

    @Test
    void theClientsOfAllLoopsAreListedInPages() {
        for (int i = 0; i < 10; i++) {
            add(i % 2, new FakeClient("c" + i));
        }
        ClientPage<ConnectedClient> first = run(ask(ClientCriteria.ALL, null, 4));
        assertThat(ids(first)).containsExactly("c0", "c1", "c2", "c3");
        ClientPage<ConnectedClient> second = run(ask(ClientCriteria.ALL, first.next(), 4));
        assertThat(ids(second)).containsExactly("c4", "c5", "c6", "c7");
        ClientPage<ConnectedClient> third = run(ask(ClientCriteria.ALL, second.next(), 4));
        assertThat(ids(third)).containsExactly("c8", "c9");
        assertThat(third.next()).isNull();
        assertThat(looks())
                .as("only clients that may be on the page are checked")
                .isLessThanOrEqualTo(10 + 4 + 4);
    }

    @Test
    void aSearchThatLooksAtAHundredThousandGivesTheLoopBackAllTheTime() {
        addMany();
        ClientCriteria criteria = new ClientCriteria(null, IdPattern.ANY, null, null, 0, 1);
        CompletableFuture<ClientPage<ConnectedClient>> question = ask(criteria, null, 1_000);
        int turns = 0;
        int seen = 0;
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            if (turns % 100 == 0) {
                assertThat(tasks.size())
                        .as("at most one of the two loops has a task waiting")
                        .isLessThanOrEqualTo(1);
            }
            task.run();
            turns++;
        }
        for (FakeClient client : all) {
            seen += client.looks;
        }
        assertThat(question).isCompleted();
        assertThat(question.join().entries()).isEmpty();
        assertThat(question.join().next()).isNull();
        assertThat(seen).isEqualTo(MANY);
        assertThat(turns).isGreaterThanOrEqualTo(MANY / LoopPage.MOST_LOOKS);
    }

    /** The same on a Netty loop: tasks of other threads run between the slices. */
    @Test
    void aRunningLoopServesOthersAllTheWhile() throws Exception {
        EventLoops running = new EventLoops(new TransportConfig(
                1, true, TransportConfig.Io.IN_MEMORY, 1 << 20, 0, DecodeLimits.DEFAULTS, Duration.ofSeconds(1)));
        try {
            LoopContext loop = running.contexts().get(0);
            ClientIndexes ofLoop = new ClientIndexes(1);
            CompletableFuture<Void> filled = new CompletableFuture<>();
            loop.execute(() -> {
                for (int i = 0; i < MANY; i++) {
                    ofLoop.of(loop).add(new FakeClient(String.format("c%06d", i)));
                }
                filled.complete(null);
            });
            filled.get(30, TimeUnit.SECONDS);
            ClientCriteria criteria = new ClientCriteria(null, IdPattern.ANY, null, null, 0, 1);
            long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            CompletableFuture<ClientPage<ConnectedClient>> question = new ConnectedClients(List.of(loop), ofLoop)
                    .page(new ClientQuery(criteria, null, 1_000, until), Runnable::run);
            int served = 0;
            while (!question.isDone()) {
                CompletableFuture<Void> other = new CompletableFuture<>();
                loop.execute(() -> other.complete(null));
                other.get(30, TimeUnit.SECONDS);
                served++;
            }
            assertThat(question.get().next()).isNull();
            assertThat(served).as("other tasks that ran during the search").isGreaterThan(50);
        } finally {
            running.close();
        }
    }

    @Test
    void noTurnLooksAtMoreThanItMay() {
        addMany();
        ask(new ClientCriteria(null, IdPattern.ANY, null, null, 0, 1), null, 1_000);
        int before = 0;
        for (int turn = 0; turn < 10; turn++) {
            tasks.remove().run();
            int after = looks();
            assertThat(after - before).isLessThanOrEqualTo(LoopPage.MOST_LOOKS);
            before = after;
        }
        assertThat(before).isPositive();
    }

    @Test
    void aTurnEndsByTheClockWhereLooksTakeLong() {
        addMany();
        nanosPerLook = 1_000_000; // each look at the clock finds it a millisecond on
        ask(new ClientCriteria(null, IdPattern.ANY, null, null, 0, 1), null, 1_000);
        tasks.remove().run();
        assertThat(looks())
                .as("one client is checked even in a slow turn, so that the search advances")
                .isEqualTo(1);
    }

    @Test
    void aListOfOneTenantEndsWithIt() {
        TenantId tenant = new TenantId("m");
        for (int i = 0; i < 2_000; i++) {
            String name = i < 4 ? "m" : "z";
            add(i % 2, new FakeClient(new ClientInfo(new TenantId(name), new ClientId(name + i), null, "", 5), 0));
        }
        ClientCriteria criteria = new ClientCriteria(tenant, IdPattern.ANY, null, null, 0, 0);
        CompletableFuture<ClientPage<ConnectedClient>> question = ask(criteria, null, 10);
        assertThat(tasks).hasSize(2);
        tasks.remove().run();
        tasks.remove().run();
        assertThat(tasks).as("no task is posted for clients of other tenants").isEmpty();
        assertThat(ids(run(question))).containsExactly("m0", "m1", "m2", "m3");
        assertThat(question.join().next()).isNull();
    }

    @Test
    void whenTheTimeIsOverThePageHasWhatWasFoundAndGoesOnWhereTheLookEnded() {
        addMany();
        all.get(3).queued = 7;
        all.get(MANY - 1).queued = 7;
        nanosPerLook = 1;
        ClientCriteria criteria = new ClientCriteria(null, IdPattern.ANY, null, null, 0, 7);
        ClientPage<ConnectedClient> page =
                run(clients.page(new ClientQuery(criteria, null, 1_000, now + 100), Runnable::run));
        assertThat(ids(page)).containsExactly("c000003");
        assertThat(page.next()).isNotNull();
        int seen = looks();
        assertThat(seen).isLessThan(MANY);
        ClientPage<ConnectedClient> rest = run(ask(criteria, page.next(), 1_000));
        assertThat(ids(rest)).containsExactly(String.format("c%06d", MANY - 1));
        assertThat(rest.next()).isNull();
        assertThat(looks()).as("each client is checked only once").isEqualTo(MANY);
    }

    @Test
    void clientsMayComeAndGoDuringAListing() {
        addMany();
        ClientCriteria criteria = new ClientCriteria(null, IdPattern.ANY, null, null, 0, 1);
        all.get(MANY - 1).queued = 1;
        all.get(MANY - 2).queued = 1;
        CompletableFuture<ClientPage<ConnectedClient>> question = ask(criteria, null, 1_000);
        ClientIndex index = indexes.of(loops.get(0));
        for (int i = 0; i < 20; i++) {
            tasks.remove().run();
            int at = looks();
            for (int gone = Math.max(0, at - 300);
                    gone < at + 300;
                    gone++) { // including the one at the present position
                index.remove(all.get(gone));
            }
            index.add(new FakeClient("c000000new" + i));
            index.add(new FakeClient("c" + (MANY - 10 - i) + "new"));
        }
        index.remove(all.get(MANY - 2));
        assertThat(ids(run(question))).containsExactly(String.format("c%06d", MANY - 1));
    }

    @Test
    void criteriaMustAllBeMet() {
        add(0, new FakeClient("plain"));
        ClientInfo other = new ClientInfo(new TenantId("t2"), new ClientId("other-1"), "ann", "[::1]:1", 4);
        add(1, new FakeClient(other, 0)).queued = 3;
        assertFound(new ClientCriteria(null, IdPattern.ANY, null, null, 0, 0), "plain", "other-1");
        assertFound(new ClientCriteria(new TenantId("t2"), IdPattern.ANY, null, null, 0, 0), "other-1");
        assertFound(new ClientCriteria(null, new IdPattern("other", true), null, null, 0, 0), "other-1");
        assertFound(new ClientCriteria(null, new IdPattern("-1", true), null, null, 0, 0));
        assertFound(new ClientCriteria(null, new IdPattern("-1", false), null, null, 0, 0), "other-1");
        assertFound(new ClientCriteria(null, IdPattern.ANY, "ann", null, 0, 0), "other-1");
        assertFound(new ClientCriteria(null, IdPattern.ANY, "", null, 0, 0), "plain");
        assertFound(new ClientCriteria(null, IdPattern.ANY, null, new AddressPattern("10.0.0.1"), 0, 0), "plain");
        assertFound(new ClientCriteria(null, IdPattern.ANY, null, new AddressPattern("::1"), 0, 0), "other-1");
        assertFound(new ClientCriteria(null, IdPattern.ANY, null, null, 5, 0), "plain");
        assertFound(new ClientCriteria(null, IdPattern.ANY, null, null, 0, 3), "other-1");
        assertFound(new ClientCriteria(null, IdPattern.ANY, "ann", null, 5, 0));
    }

    private void assertFound(ClientCriteria criteria, String... expected) {
        assertThat(ids(run(ask(criteria, null, 10)))).as("%s", criteria).containsExactly(expected);
    }

    @Test
    void oneClientIsFoundAndEndedOnWhicheverLoopItIs() {
        FakeClient here = add(0, new FakeClient("here"));
        FakeClient there = add(1, new FakeClient("there"));
        assertThat(run(clients.find(FakeClient.key("there")))).contains(there.describe());
        assertThat(run(clients.find(FakeClient.key("nowhere")))).isEmpty();
        assertThat(run(clients.disconnect(FakeClient.key("nowhere"), ReasonCode.ADMINISTRATIVE_ACTION)))
                .isFalse();
        assertThat(run(clients.disconnect(FakeClient.key("there"), ReasonCode.QUOTA_EXCEEDED)))
                .isTrue();
        assertThat(there.ends).containsExactly(ReasonCode.QUOTA_EXCEEDED);
        assertThat(here.ends).isEmpty();
    }

    @Test
    void whatAServerDoesNotSayEndsNobody() {
        FakeClient client = add(0, new FakeClient("c"));
        for (ReasonCode code : List.of(ReasonCode.DISCONNECT_WITH_WILL, ReasonCode.GRANTED_QOS_1, ReasonCode.BANNED)) {
            assertThat(clients.disconnect(FakeClient.key("c"), code)).isCompletedExceptionally();
        }
        assertThat(tasks).isEmpty();
        assertThat(client.ends).isEmpty();
    }

    @Test
    void aFaultInOneClientFailsTheQuestionAndNotTheLoop() {
        add(0, new FakeClient("good"));
        indexes.of(loops.get(1)).add(new ListedClient() {
            @Override
            public ClientInfo client() {
                return new ClientInfo(TenantId.DEFAULT, new ClientId("bad"), null, "", 5);
            }

            @Override
            public ConnectedClient describe() {
                throw new IllegalStateException("a bug, for the test");
            }

            @Override
            public LiveSubscriptions subscriptions() {
                throw new IllegalStateException("a bug, for the test");
            }

            @Override
            public void end(ReasonCode code) {
                throw new IllegalStateException("a bug, for the test");
            }

            @Override
            public CompletableFuture<List<ReasonCode>> subscribeOnBehalf(
                    List<Subscription> subscriptions, int subscriptionId) {
                throw new IllegalStateException("a bug, for the test");
            }

            @Override
            public CompletableFuture<List<ReasonCode>> unsubscribeOnBehalf(List<TopicFilter> filters) {
                throw new IllegalStateException("a bug, for the test");
            }
        });
        CompletableFuture<ClientPage<ConnectedClient>> page = ask(ClientCriteria.ALL, null, 10);
        CompletableFuture<Boolean> end = clients.disconnect(FakeClient.key("bad"), ReasonCode.ADMINISTRATIVE_ACTION);
        tasks.forEach(Runnable::run);
        tasks.clear();
        assertThat(page).isCompletedExceptionally();
        assertThat(end).isCompletedExceptionally();
        assertThat(run(clients.find(FakeClient.key("good")))).isPresent();
    }

    @Test
    void theLaterOfTwoConnectionsIsAsked() {
        FakeClient earlier = add(0, new FakeClient("c", 1));
        FakeClient later = add(1, new FakeClient("c", 2));
        List<Subscription> wanted = List.of(new Subscription(new TopicFilter(null, "a"), Qos.AT_LEAST_ONCE));
        assertThat(run(clients.ask(FakeClient.key("c"), client -> client.subscribeOnBehalf(wanted, 0))))
                .contains(List.of(ReasonCode.GRANTED_QOS_1));
        assertThat(earlier.subscribed).isEmpty();
        assertThat(later.subscribed).isEqualTo(wanted);
        assertThat(run(clients.ask(FakeClient.key("nobody"), client -> client.subscribeOnBehalf(wanted, 0))))
                .isEmpty();
    }

    @Test
    void subscriptionsAreToldOfSessionsThatAreNotStored() {
        FakeClient live = add(1, new FakeClient("live"));
        live.filters = List.of(new TopicFilter(null, "a/+"));
        add(0, new FakeClient("stored"));
        assertThat(run(clients.subscriptions(FakeClient.key("live"))))
                .contains(new LiveSubscriptions(live, List.of(new TopicFilter(null, "a/+"))));
        assertThat(run(clients.subscriptions(FakeClient.key("stored")))).isEmpty();
        assertThat(run(clients.subscriptions(FakeClient.key("nobody")))).isEmpty();
    }

    @Test
    void manyAreEndedInSlices() {
        addMany();
        add(1, new FakeClient("z"));
        CompletableFuture<Integer> ended = clients.disconnectAll(
                client -> client.clientId().value().endsWith("7")
                        || client.clientId().value().equals("z"),
                ReasonCode.ADMINISTRATIVE_ACTION);
        int turns = 0;
        int most = 0;
        int before = 0;
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
            int now = (int) all.stream().filter(each -> !each.ends.isEmpty()).count();
            most = Math.max(most, now - before);
            before = now;
            turns++;
        }
        assertThat(ended).isCompletedWithValue(MANY / 10 + 1);
        assertThat(most).isBetween(1, LoopSweep.MOST_ENDS);
        assertThat(turns).isGreaterThan(MANY / LoopSweep.MOST_LOOKS);
        assertThat(all.stream().filter(each -> each.ends.size() > 1)).isEmpty();
    }
}
