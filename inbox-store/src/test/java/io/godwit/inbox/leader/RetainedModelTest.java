package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.godwit.inbox.InboxConfig;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.client.ReplayOutcome;
import io.godwit.inbox.client.ReplayStep;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Replays of retained messages from a seed, under crashes at every point, lost connections, refusals, full queues, live
 * messages and repeated subscriptions. Each subscription gets each retained message once at QoS 2, at least once at QoS
 * 1, unless a newer live one of its topic came since; and no retained message comes after a newer live one.
 */
class RetainedModelTest {
    private static final int STEPS = 220;
    private static final int TOPICS = 40;
    private static final TopicFilter FILTER = new TopicFilter(null, "r/#");
    /** Retained copies have lower numbers, live messages this one or higher. */
    private static final int FIRST_LIVE = 1_000_000;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void eachRetainedMessageIsGivenOnceWhateverHappens(boolean earlyPush) {
        for (long seed = 0; seed < 300; seed++) {
            run(seed, earlyPush, key -> false);
        }
    }

    @Test
    void theModelCatchesAForgottenPlace() {
        assertThat(failures(InboxKeys.RETAINED)).isPositive();
    }

    @Test
    void theModelCatchesAForgottenNote() {
        assertThat(failures(InboxKeys.LIVE)).isPositive();
    }

    private static int failures(int kind) {
        int failures = 0;
        for (long seed = 0; seed < 60; seed++) {
            try {
                run(seed, false, key -> ModelTest.kind(key) == kind);
            } catch (AssertionError caught) {
                failures++;
            }
        }
        return failures;
    }

    private static void run(long seed, boolean earlyPush, Predicate<byte[]> forgets) {
        try (Run run = new Run(seed, earlyPush, forgets)) {
            run.play();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed=" + seed + " earlyPush=" + earlyPush + ": " + e.getMessage(), e);
        }
    }

    private static final class Run implements AutoCloseable {
        private final Random random;
        private final InboxFixture store;
        private final ModelClient client;
        private final boolean earlyPush;
        private final boolean leadersMove;
        /** How many subscriptions have been made, counting those that may not have been. */
        private int generation;
        /** By topic: the generation since which a newer live message makes retained copies unnecessary. */
        private final Map<Integer, Integer> liveSent = new HashMap<>();

        private final Map<Integer, Integer> liveSeen = new HashMap<>();
        private final Map<Integer, Integer> generationOfLive = new HashMap<>();
        private Replayer replayer;
        private int nextLive = FIRST_LIVE;
        private AssertionError violation;

        Run(long seed, boolean earlyPush, Predicate<byte[]> forgets) {
            random = new Random(seed);
            this.earlyPush = earlyPush;
            InboxConfig config = new InboxConfig(
                    random.nextInt(3) == 0 ? 4 : 100_000,
                    InboxConfig.DropPolicy.NEWEST,
                    true,
                    20,
                    Duration.ofSeconds(AttachRequest.NEVER),
                    earlyPush);
            store = new InboxFixture(InboxFixture.settings(config, random.nextInt(2)), 1, forgets);
            client = new ModelClient("c", random, false);
            client.store = store.client;
            leadersMove = seed % 2 == 1;
        }

        void play() {
            connect();
            for (int step = 0; step < STEPS; step++) {
                step();
                if (random.nextInt(3) > 0) {
                    store.host.runUntilIdle();
                }
                if (violation != null) {
                    throw violation;
                }
            }
            settle();
        }

        private void step() {
            if (leadersMove && random.nextInt(12) == 0) {
                store.host.moveLeaders();
            }
            int choice = random.nextInt(100);
            if (choice < 35) {
                replayer.pump();
            } else if (choice < 45) {
                replayer.tick();
            } else if (choice < 55) {
                ifOpen(() -> client.connection.request(1 + random.nextInt(8)));
            } else if (choice < 68) {
                ifOpen(() -> client.connection.acknowledgeSome(random.nextDouble()));
            } else if (choice < 76) {
                live();
            } else if (choice < 80) {
                connect();
            } else if (choice < 83) {
                ifOpen(() -> client.connection.leave());
            } else if (choice < 85) {
                subscribe();
            } else {
                disturb(choice);
            }
        }

        private void disturb(int choice) {
            if (choice < 88) {
                store.host.holdCommits();
            } else if (choice < 90) {
                store.host.holdSeals();
            } else if (choice < 93) {
                release();
            } else if (choice < 94) {
                store.host.advanceMillis(random.nextInt(1500));
            } else if (choice < 96) {
                store.host.failWrites(RangeException.Cause.OVERLOADED);
                if (random.nextBoolean()) {
                    store.host.runUntilIdle();
                }
                store.host.acceptWrites();
            } else if (choice < 97) {
                store.host.changeLeaders();
            } else {
                client.connection = null;
                store.crash(random.nextInt(4));
                connect();
            }
        }

        private void release() {
            store.host.releaseCommits();
            store.host.releaseSeals();
        }

        private boolean isOpen() {
            return client.connection != null && client.connection.isOpen();
        }

        private void ifOpen(Runnable action) {
            if (isOpen()) {
                action.run();
            }
        }

        private void connect() {
            ModelClient.Connection connection = client.new Connection();
            client.connection = connection;
            Replayer mine = new Replayer(connection);
            replayer = mine;
            InboxListener listener = new InboxListener() {
                @Override
                public void deliver(List<InboxMessage> messages) {
                    watch(() -> {
                        if (!connection.left) {
                            messages.forEach(message -> check(message));
                        }
                        connection.deliver(messages);
                    });
                }

                @Override
                public void detached(Reason reason) {
                    connection.detached(reason);
                }
            };
            connection.self = listener;
            store.client
                    .attach(new AttachRequest(InboxFixture.info("c"), false, AttachRequest.NEVER, null), listener)
                    .whenComplete((reply, failure) -> {
                        if (reply != null) {
                            connection.opened(reply);
                            mine.begin(reply.subscriptions());
                        }
                    });
        }

        private void watch(Runnable checks) {
            try {
                checks.run();
            } catch (AssertionError found) {
                violation = found;
            }
        }

        /**
         * No retained message may come after a live one of its topic that was published when the subscription existed.
         */
        private void check(InboxMessage message) {
            if (message.released()) {
                return;
            }
            String text = new String(message.message().payload(), StandardCharsets.UTF_8);
            int number = Integer.parseInt(text.substring(0, text.indexOf('.')));
            int topic = Integer.parseInt(message.message().topic().substring(2));
            if (number >= FIRST_LIVE) {
                liveSeen.merge(topic, generationOfLive.get(number), Math::max);
            } else if (!message.redelivered() && !earlyPush) {
                ModelClient.check(
                        liveSeen.getOrDefault(topic, -1) < number / TOPICS,
                        "stale: retained " + number + " of topic " + topic);
            }
        }

        /** Subscribes, or subscribes again, when nothing else is under way, so that the earlier messages are known. */
        private void subscribe() {
            release();
            store.host.runUntilIdle();
            if (!isOpen() || client.connection.attachment == null) {
                return;
            }
            generation++;
            for (int topic = 0; topic < TOPICS; topic++) {
                client.unordered.add(ModelClient.copy(numberOf(generation, topic), false));
            }
            Replayer mine = replayer;
            mine.hold();
            CompletableFuture<List<Boolean>> done = client.connection.attachment.subscribe(List.of(subscription()));
            store.host.runUntilIdle();
            if (done.isDone() && !done.isCompletedExceptionally()) {
                mine.begin(List.of(subscription().owed(StoredSubscription.ALL_RETAINED)));
            } else {
                fail("not subscribed");
            }
        }

        private static StoredSubscription subscription() {
            return new StoredSubscription(FILTER, Qos.EXACTLY_ONCE, false, false, 0, 0);
        }

        private static int numberOf(int generation, int topic) {
            return generation * TOPICS + topic;
        }

        private static String topicOf(int topic) {
            return String.format("r/%02d", topic);
        }

        /** Even topics have QoS 2; some odd topics have QoS 0. */
        private static int qosOf(int topic) {
            return topic % 2 == 0 ? 2 : topic % 10 == 5 ? 0 : 1;
        }

        private void live() {
            if (client.incarnation == 0) {
                return;
            }
            int topic = random.nextInt(TOPICS);
            int number = nextLive++;
            client.unordered.add(ModelClient.copy(number, false));
            generationOfLive.put(number, generation);
            Message message = store.message(topicOf(topic), number + ".", 1 + random.nextInt(2), -1);
            liveSent.put(topic, generation); // it may be stored even if the insert failed
            store.client.insert(new InsertRequest(
                    TenantId.DEFAULT,
                    message,
                    List.of(InboxFixture.target("c", client.incarnation, message.qos())),
                    null,
                    0,
                    0));
        }

        private void settle() {
            release();
            store.host.runUntilIdle();
            if (random.nextBoolean()) {
                client.connection = null;
                store.crash(0);
            }
            connect();
            store.host.runUntilIdle();
            if (!isOpen()) {
                fail("the session could not be opened");
            }
            client.connection.request(100_000);
            for (int round = 0; round < 3 * TOPICS && !replayer.isDone(); round++) {
                replayer.pump();
                replayer.tick();
                store.host.runUntilIdle();
                client.connection.acknowledgeSome(1);
                store.host.runUntilIdle();
            }
            assertThat(replayer.isDone()).as("the replay ends").isTrue();
            client.connection.acknowledgeSome(1);
            store.host.runUntilIdle();
            if (violation != null) {
                throw violation;
            }
            Set<Integer> missing = new HashSet<>();
            for (int topic = 0; topic < TOPICS && generation > 0; topic++) {
                boolean isExcused = liveSent.getOrDefault(topic, -1) == generation;
                if (qosOf(topic) > 0
                        && !isExcused
                        && !client.received.contains(ModelClient.copy(numberOf(generation, topic), false))) {
                    missing.add(topic);
                }
            }
            assertThat(missing)
                    .as("messages that the last subscription never got")
                    .isEmpty();
        }

        @Override
        public void close() {
            store.close();
        }

        /** Acts as the frontend of one connection: some steps at once; refused ones again, in order. */
        private final class Replayer {
            private static final int WINDOW = 8;
            private final ModelClient.Connection connection;
            private String place = "";
            private int next = TOPICS;
            private int open;
            /** Answers to steps of an earlier subscription do not count. */
            private int life;

            private boolean isOwed;
            private final TreeMap<Integer, ReplayStep> again = new TreeMap<>();

            Replayer(ModelClient.Connection connection) {
                this.connection = connection;
            }

            void begin(List<StoredSubscription> subscriptions) {
                for (StoredSubscription subscription : subscriptions) {
                    String from = subscription.retainedFrom();
                    isOwed = from != null;
                    if (from != null) {
                        place = from;
                        next = from.isEmpty() ? 0 : Integer.parseInt(from) + 1;
                    }
                }
            }

            void hold() {
                life++;
                again.clear();
                isOwed = false;
                open = 0;
            }

            boolean isDone() {
                return !isOwed;
            }

            void pump() {
                if (!isOpen() || !isOwed) {
                    return;
                }
                while (next < TOPICS && open < WINDOW && again.isEmpty() && random.nextInt(4) > 0) {
                    String to = Integer.toString(next);
                    Message message = store.message(topicOf(next), numberOf(generation, next) + ".", qosOf(next), -1);
                    ReplayStep step = new ReplayStep(FILTER, place, to, message, message.qos(), new int[0]);
                    place = to;
                    give(next++, step);
                }
                if (next == TOPICS && open == 0 && again.isEmpty() && connection.attachment != null) {
                    connection.attachment.replayed(FILTER, place);
                    isOwed = false;
                }
            }

            void tick() {
                if (isOpen()) {
                    Map<Integer, ReplayStep> now = new TreeMap<>(again);
                    again.clear();
                    now.forEach(this::give);
                }
            }

            private void give(int number, ReplayStep step) {
                if (connection.attachment == null) {
                    again.put(number, step); // moves to the next leader
                    return;
                }
                open++;
                int mine = life;
                connection.attachment.replay(step).whenComplete((outcome, failure) -> {
                    if (mine != life) {
                        return;
                    }
                    open--;
                    if (failure != null || outcome == ReplayOutcome.FULL || outcome == ReplayOutcome.BEHIND) {
                        again.put(number, step);
                    }
                });
            }
        }
    }
}
