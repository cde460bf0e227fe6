package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.assertj.core.api.Assertions.within;

import io.godwit.inbox.InboxConfig;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxClient;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random sessions, publishes, acknowledgements, crashes, refusals and leader changes from a seed, against clients that
 * check their deliveries. At the end every message acknowledged to a publisher has reached its receiver, QoS 2 once.
 */
class ModelTest {
    private static final int STEPS = 250;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nothingAcknowledgedIsLostWhateverHappens(boolean earlyPush) {
        for (long seed = 0; seed < 300; seed++) {
            run(seed, earlyPush, key -> false);
        }
    }

    /**
     * Leaders are replaced in good order, and nothing worse happens: no connection ends, none gets a message twice, and
     * only messages that were sent are marked as repetitions.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aConnectionNoticesNothingOfAReplacedLeader(boolean earlyPush) {
        int continued = 0;
        for (long seed = 0; seed < 300; seed++) {
            continued += run(seed, earlyPush, key -> false, true, 0);
        }
        assertThat(continued).isGreaterThan(1000);
    }

    /** Messages published after a purge was answered are delivered, whatever happens. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void emptyingQueuesLosesNothingThatComesLater(boolean earlyPush) {
        long emptied = 0;
        for (long seed = 0; seed < 200; seed++) {
            try (Run run = new Run(seed, earlyPush, key -> false, seed % 4 == 0)) {
                run.purges = true;
                run.play();
                emptied += run.emptied;
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed=" + seed + " earlyPush=" + earlyPush + ": " + e.getMessage(), e);
            }
        }
        assertThat(emptied).isGreaterThan(1_000);
    }

    @Test
    void theModelCatchesAMessageSentTwiceOnOneConnection() {
        int failures = 0;
        for (long seed = 0; seed < 20; seed++) {
            try {
                run(seed, seed % 2 == 0, key -> false, true, 1);
            } catch (AssertionError | IllegalStateException caught) {
                failures++;
            }
        }
        assertThat(failures).isPositive();
    }

    @Test
    void theModelCatchesALostRun() {
        assertThat(failures(key -> kind(key) == InboxKeys.RUN && key[key.length - 1] % 16 == 3))
                .isPositive();
    }

    @Test
    void theModelCatchesAForgottenToken() {
        assertThat(failures(key -> kind(key) == InboxKeys.TOKEN)).isPositive();
    }

    @Test
    void theModelCatchesForgottenProgress() {
        assertThat(failures(key -> kind(key) == InboxKeys.PROGRESS)).isPositive();
    }

    @Test
    void theModelCatchesAForgottenCeiling() {
        assertThat(failures(key -> kind(key) == InboxKeys.CEILING)).isPositive();
    }

    private static int failures(Predicate<byte[]> forgets) {
        int failures = 0;
        for (long seed = 0; seed < 60; seed++) {
            try {
                run(seed, seed % 2 == 0, forgets);
            } catch (AssertionError | IllegalStateException caught) {
                failures++;
            }
        }
        return failures;
    }

    static int kind(byte[] key) {
        return key[
                InboxKeys.prefix(
                                InboxKeys.inboxOf(key).tenant(),
                                InboxKeys.inboxOf(key).clientId())
                        .length];
    }

    private static void run(long seed, boolean earlyPush, Predicate<byte[]> forgets) {
        run(seed, earlyPush, forgets, false, 0);
    }

    /** Returns how often a connection continued at another leader. */
    private static int run(
            long seed, boolean earlyPush, Predicate<byte[]> forgets, boolean inGoodOrder, int toldTooLittle) {
        try (Run run = new Run(seed, earlyPush, forgets, inGoodOrder)) {
            run.clients.forEach(client -> client.toldTooLittle = toldTooLittle);
            run.play();
            return run.continued;
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed=" + seed + " earlyPush=" + earlyPush + ": " + e.getMessage(), e);
        }
    }

    private static final class Run implements AutoCloseable {
        private final Random random;
        private final InboxFixture store;
        private final List<ModelClient> clients = new ArrayList<>();
        /** For each client: copies of its present incarnation that were acknowledged to their publisher. */
        private final List<Set<Integer>> owed = new ArrayList<>();

        private final List<AssertionError> violations = new ArrayList<>();
        private final boolean limited;
        /**
         * On a full disk deliveries continue without being recorded: after a crash their repetitions may be unmarked.
         */
        private final boolean diskFills;

        private int nextNumber;
        private int nextToken;
        /** QoS 2 publishers that try again at the next step. */
        private List<Runnable> retries = new ArrayList<>();

        private int unanswered;
        private boolean commitsHeld;
        /** Whether leaders are replaced in good order, and whether nothing worse happens. */
        private final boolean leadersMove;

        private final boolean inGoodOrder;
        private int continued;

        /** Whether operators empty queues. */
        private boolean purges;
        /** For each client: number of purges requested and answered; odd while one is under way. */
        private final int[] purgeTurns = new int[3];
        /** Messages removed by purges. */
        private long emptied;

        Run(long seed, boolean earlyPush, Predicate<byte[]> forgets, boolean inGoodOrder) {
            random = new Random(seed);
            this.inGoodOrder = inGoodOrder;
            leadersMove = inGoodOrder || random.nextBoolean();
            limited = random.nextInt(4) == 0;
            diskFills = !inGoodOrder && random.nextInt(4) == 0;
            InboxConfig config = new InboxConfig(
                    limited ? 5 : 100_000,
                    InboxConfig.DropPolicy.NEWEST,
                    true,
                    20,
                    Duration.ofSeconds(AttachRequest.NEVER),
                    earlyPush);
            // with none kept in memory, every detached inbox is loaded for each of its messages
            int maxIdle = random.nextInt(3);
            store = new InboxFixture(InboxFixture.settings(config, maxIdle), 1 + random.nextInt(2), forgets);
            for (int i = 0; i < 3; i++) {
                ModelClient client = new ModelClient("c" + i, random, !diskFills);
                client.store = store.client;
                client.marksAreExact = inGoodOrder;
                clients.add(client);
                owed.add(new HashSet<>());
            }
        }

        void play() {
            for (int i = 0; i < clients.size(); i++) {
                attach(i, false);
            }
            store.host.runUntilIdle();
            for (int step = 0; step < STEPS; step++) {
                step();
                if (random.nextInt(3) > 0) {
                    store.host.runUntilIdle();
                }
            }
            settle();
            assertThat(violations).isEmpty();
            clients.forEach(client -> assertThat(client.refusals).isEmpty());
            assertThat(unanswered).as("publishes never answered").isZero();
            assertThat(purgeTurns)
                    .as("purges never answered")
                    .satisfies(turns -> assertThat(Arrays.stream(turns).allMatch(turn -> turn % 2 == 0))
                            .isTrue());
        }

        private void retry() {
            List<Runnable> now = retries;
            retries = new ArrayList<>();
            now.forEach(Runnable::run);
        }

        private void step() {
            retry();
            if (leadersMove && random.nextInt(12) == 0) {
                store.host.moveLeaders();
            }
            if (purges && random.nextInt(15) == 0) {
                purge(random.nextInt(clients.size()));
            }
            int choice = random.nextInt(100);
            int who = random.nextInt(clients.size());
            if (choice < 45) {
                insert();
            } else if (choice < 55) {
                open(who, connection -> connection.request(1 + random.nextInt(random.nextBoolean() ? 3 : 50)));
            } else if (choice < 72) {
                open(who, connection -> connection.acknowledgeSome(random.nextDouble()));
            } else if (choice < 79) {
                attach(who, random.nextInt(12) == 0);
            } else if (choice < 83) {
                open(who, ModelClient.Connection::leave);
            } else {
                disturb(choice);
            }
        }

        private void disturb(int choice) {
            if (choice < 86) {
                store.host.holdCommits();
                commitsHeld = true;
            } else if (choice < 88) {
                store.host.holdSeals();
            } else if (choice < 89) {
                store.host.holdReads();
            } else if (choice < 93) {
                release();
            } else if (choice < 95) {
                store.host.advanceMillis(random.nextInt(1500));
            } else if (inGoodOrder) {
                store.host.moveLeaders();
            } else if (choice < 96) {
                mayLoseConnections();
                store.host.failWrites(
                        diskFills && random.nextBoolean()
                                ? RangeException.Cause.DISK_FULL
                                : RangeException.Cause.OVERLOADED);
                store.host.runUntilIdle();
                store.host.acceptWrites();
            } else if (choice < 97) {
                mayLoseConnections();
                store.host.changeLeaders();
            } else if (choice < 99) {
                // the clients' knowledge of their connections is lost with the process
                clients.forEach(client -> replace(client, null));
                store.crash(random.nextInt(5));
                commitsHeld = false;
            } else if (commitsHeld) {
                store.host.commitOne(InboxKeys.prefix(
                        TenantId.DEFAULT, InboxFixture.info("c0").clientId()));
            }
        }

        /** Messages acknowledged before the answer may be gone, even if the purge fails. */
        private void purge(int who) {
            if (purgeTurns[who] % 2 != 0) {
                return;
            }
            purgeTurns[who]++;
            store.client
                    .purge(
                            TenantId.DEFAULT,
                            InboxFixture.info(clients.get(who).id).clientId(),
                            Resend.ALWAYS)
                    .whenComplete((purged, failure) -> {
                        purgeTurns[who]++;
                        owed.get(who).clear();
                        if (failure == null) {
                            emptied += purged.map(InboxClient.Purged::messages).orElse(0);
                        }
                    });
        }

        private void mayLoseConnections() {
            for (ModelClient client : clients) {
                if (client.connection != null) {
                    client.connection.mayBeRefused = true;
                }
            }
        }

        private void replace(ModelClient client, ModelClient.Connection next) {
            if (client.connection != null) {
                continued += client.connection.continued;
            }
            client.connection = next;
        }

        /** An assertion that fails inside a callback would go unnoticed. */
        private void watch(Runnable checks) {
            try {
                checks.run();
            } catch (AssertionError violation) {
                violations.add(violation);
            }
        }

        private void release() {
            store.host.releaseCommits();
            store.host.releaseSeals();
            store.host.releaseReads();
            commitsHeld = false;
        }

        private void open(int who, Consumer<ModelClient.Connection> action) {
            ModelClient.Connection connection = clients.get(who).connection;
            if (connection != null && connection.isOpen()) {
                action.accept(connection);
            }
        }

        private void attach(int who, boolean cleanStart) {
            ModelClient client = clients.get(who);
            ModelClient.Connection connection = client.new Connection();
            replace(client, connection);
            long before = client.incarnation;
            store.client
                    .attach(
                            new AttachRequest(InboxFixture.info(client.id), cleanStart, AttachRequest.NEVER, null),
                            connection)
                    .whenComplete((reply, failure) -> {
                        connection.failure = failure;
                        if (reply != null) {
                            watch(() -> connection.opened(reply));
                        }
                        if (client.incarnation != before) {
                            owed.get(who).clear();
                        }
                    });
        }

        private void insert() {
            Qos qos = Qos.of(random.nextInt(8) == 0 ? 0 : 1 + random.nextInt(2));
            int number = nextNumber++;
            String payload = number + "." + "x".repeat(random.nextInt(60) == 0 ? 20_000 : 5);
            Message message = store.message("t/" + random.nextInt(3), payload, qos.value(), -1);
            List<Integer> receivers = new ArrayList<>();
            List<InsertRequest.Target> targets = new ArrayList<>();
            for (int who = 0; who < clients.size(); who++) {
                ModelClient client = clients.get(who);
                if (client.incarnation != 0 && (receivers.isEmpty() || random.nextInt(3) == 0)) {
                    receivers.add(who);
                    targets.add(InboxFixture.target(client.id, client.incarnation, qos));
                    if (qos != Qos.AT_MOST_ONCE && random.nextInt(6) == 0) {
                        receivers.add(who);
                        targets.add(shared(client, qos));
                    }
                }
            }
            boolean hasToken = qos == Qos.EXACTLY_ONCE;
            InsertRequest request =
                    new InsertRequest(TenantId.DEFAULT, message, targets, hasToken ? "origin" : null, nextToken++, 0);
            publish(request, receivers, number, 0);
        }

        /** The session is also the chosen member of a shared subscription. */
        private InsertRequest.Target shared(ModelClient client, Qos qos) {
            return new InsertRequest.Target(
                    InboxFixture.info(client.id).clientId(),
                    client.incarnation,
                    qos,
                    false,
                    new int[] {1},
                    "$share/g/" + random.nextInt(2),
                    false);
        }

        private void publish(InsertRequest request, List<Integer> receivers, int number, int tries) {
            List<Long> lives =
                    receivers.stream().map(who -> clients.get(who).incarnation).toList();
            int[] turns = purgeTurns.clone();
            unanswered++;
            store.client.insert(request).whenComplete((outcomes, failure) -> {
                unanswered--;
                if (failure != null) {
                    if (request.tokenOrigin() != null && tries < 3) {
                        receivers.forEach(who -> clients.get(who)
                                .unordered
                                .addAll(List.of(ModelClient.copy(number, false), ModelClient.copy(number, true))));
                        retries.add(() -> publish(request, receivers, number, tries + 1));
                    }
                    return;
                }
                for (int i = 0; i < outcomes.size(); i++) {
                    int who = receivers.get(i);
                    InsertOutcome outcome = outcomes.get(i);
                    boolean isOwed = outcome == InsertOutcome.STORED || outcome == InsertOutcome.ALREADY_THERE;
                    watch(() ->
                            ModelClient.check(limited || outcome != InsertOutcome.DROPPED, "dropped without a limit"));
                    boolean mayBePurged = turns[who] % 2 != 0 || turns[who] != purgeTurns[who];
                    if (isOwed
                            && !mayBePurged
                            && request.message().qos() != Qos.AT_MOST_ONCE
                            && clients.get(who).incarnation == lives.get(i)
                            && request.targets().get(i).incarnation() == lives.get(i)) {
                        boolean isShared = request.targets().get(i).sharedFilter() != null;
                        owed.get(who).add(ModelClient.copy(number, isShared));
                    }
                }
            });
        }

        /** No more faults: every client comes back and takes all messages. */
        private void settle() {
            release();
            store.host.runUntilIdle();
            if (inGoodOrder) {
                for (ModelClient client : clients) {
                    assertThat(client.connection.failure).isNull();
                    assertThat(client.connection.isOver())
                            .as("%s was cut off", client.id)
                            .isFalse();
                }
            } else if (random.nextBoolean()) {
                clients.forEach(client -> replace(client, null));
                store.crash(0);
                store.host.runUntilIdle();
            }
            retry();
            store.host.runUntilIdle();
            checkStock();
            for (int round = 0; round < 2; round++) {
                for (int who = 0; who < clients.size(); who++) {
                    takeAll(who, round);
                }
            }
        }

        /** The counts of leaders match those of new leaders. */
        private void checkStock() {
            store.host.advanceMillis(2_000); // acknowledgements are written
            long attached = clients.stream()
                    .filter(client -> client.connection != null && client.connection.isOpen())
                    .count();
            long sessions = store.stock.detachedSessions() + attached;
            long messages = store.stock.messages();
            long bytes = store.stock.payloadBytes();
            // these leaders end as in a crash: the next ones know only an upper bound of the sent messages
            clients.forEach(client -> client.marksAreExact = false);
            store.host.changeLeaders();
            store.host.runUntilIdle();
            assertThat(store.stock.detachedSessions()).as("sessions").isEqualTo(sessions);
            assertThat(store.stock.messages()).as("messages").isEqualTo(messages);
            assertThat(store.stock.payloadBytes()).as("bytes").isCloseTo(bytes, within(100L));
            assertThat(store.stock.payloadBytes(TenantId.DEFAULT))
                    .as("bytes of the only tenant")
                    .isEqualTo(store.stock.payloadBytes());
        }

        private void takeAll(int who, int round) {
            attach(who, false);
            store.host.runUntilIdle();
            ModelClient client = clients.get(who);
            ModelClient.Connection connection = client.connection;
            if (connection == null || connection.reply == null) {
                fail("the session of %s could not be opened: %s", client.id, connection);
                return;
            }
            int before = client.received.size();
            connection.request(100_000);
            for (int i = 0; i < 3; i++) {
                store.host.runUntilIdle();
                connection.acknowledgeSome(1);
            }
            store.host.runUntilIdle();
            Set<Integer> missing = new HashSet<>(owed.get(who));
            missing.removeAll(client.received);
            assertThat(missing).as("acknowledged and lost by %s", client.id).isEmpty();
            if (round == 1) {
                assertThat(client.received)
                        .as("nothing is left in the second round")
                        .hasSize(before);
            }
        }

        @Override
        public void close() {
            store.close();
        }
    }
}
