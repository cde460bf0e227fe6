package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.inbox.InboxConfig;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.ReplayOutcome;
import io.godwit.inbox.client.ReplayStep;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Retained messages for the subscriptions of a session: each owed one once, and none after a newer live one. */
class RetainedReplayTest {
    private static final InboxConfig SMALL = new InboxConfig(
            2, InboxConfig.DropPolicy.OLDEST, true, 100, Duration.ofSeconds(AttachRequest.NEVER), false);

    private final InboxFixture store = new InboxFixture(SMALL, 1);
    /** By filter: the position of its replay, as its connection knows it. */
    private final Map<String, String> places = new HashMap<>();

    private int steps;

    @AfterEach
    void close() {
        store.close();
    }

    // --- owed messages

    @Test
    void aSubscriptionIsOwedWhatItsRetainHandlingAsksFor() {
        TestConnection connection = store.attach("a");
        subscribe(connection, subscription("always", 0));
        subscribe(connection, subscription("if-new", 1));
        subscribe(connection, subscription("never", 2));
        subscribe(connection, subscription("$share/g/shared", 0));
        assertThat(owed(attach())).containsExactly("always", "if-new");
    }

    @Test
    void aRepeatedSubscriptionIsOwedAllAgainOnlyIfItAsksForIt() {
        TestConnection connection = store.attach("a");
        connection.attachment().request(10);
        subscribe(connection, subscription("x", 1), subscription("y", 1), subscription("z", 1));
        connection.attachment().replayed(filter("x"), "");
        replay(connection, "y", "y", "half", 1);
        connection.attachment().replayed(filter("z"), "");
        subscribe(connection, subscription("x", 1), subscription("y", 2), subscription("z", 0));

        assertThat(attach().reply.subscriptions())
                .extracting(StoredSubscription::retainedFrom)
                .containsExactly(null, places.get("y"), StoredSubscription.ALL_RETAINED);
    }

    @Test
    void anUnsubscribedFilterIsOwedNothing() {
        TestConnection connection = store.attach("a");
        subscribe(connection, subscription("x", 0));
        store.host.await(connection.attachment().unsubscribe(List.of(filter("x"))));
        assertThat(replay(connection, "x", "x", "late", 1)).isCompletedWithValue(ReplayOutcome.OUTDATED);
        store.detach(connection);
        assertThat(attach().reply.subscriptions()).isEmpty();
        assertThat(store.stored("a", InboxKeys.RETAINED)).isZero();
    }

    @Test
    void aSessionThatEndsLeavesNothingOfIt() {
        TestConnection connection = store.attach("a");
        subscribe(connection, subscription("#", 0));
        live(connection, "x", "live");
        CompletableFuture<ReplayOutcome> step = replayLater(connection, "#", "y", "retained", 1);
        store.host.await(store.client.delete(
                InboxFixture.info("a").tenant(), InboxFixture.info("a").clientId()));
        assertThat(step).isDone();
        assertThat(store.stored("a")).isZero();
    }

    // --- each once

    /**
     * A message and the position after it are one commit: after any kill the next connection continues with exactly the
     * rest.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void aKillLosesNoneAndRepeatsNone(int survivors) {
        InboxFixture wide = new InboxFixture();
        TestConnection connection = wide.attach("a");
        connection.attachment().request(100);
        wide.host.await(connection.attachment().subscribe(List.of(subscription("#", 0))));
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            all.add("m" + i);
        }
        stepAll(wide, connection, all.subList(0, 4));
        wide.host.runUntilIdle();
        wide.host.holdCommits();
        for (int from = 4; from < 16; from += 4) {
            stepAll(wide, connection, all.subList(from, from + 4));
            wide.host.runUntilIdle();
        }
        wide.host.crashAndRestart(survivors);

        TestConnection back = wide.attach("a");
        back.attachment().request(100);
        String from = back.reply.subscriptions().get(0).retainedFrom();
        List<String> rest = all.subList(from.isEmpty() ? 0 : all.indexOf(from) + 1, all.size());
        assertThat(rest).hasSize(survivors == 0 ? 16 : 12); // a batch waits for the previous one
        stepAll(wide, back, rest);
        wide.host.runUntilIdle();
        assertThat(back.payloads()).containsExactlyElementsOf(all);
        wide.close();
    }

    @Test
    void aLostConnectionRepeatsNone() {
        TestConnection first = store.attach("a");
        first.attachment().request(100);
        subscribe(first, subscription("#", 0));
        replay(first, "#", "x", "one", 2);
        store.host.holdCommits();
        replay(first, "#", "y", "two", 2);
        TestConnection second = new TestConnection();
        var attaching = store.attachLater("a", false, AttachRequest.NEVER, null, second);
        store.host.runUntilIdle();
        store.host.releaseCommits();
        second.reply = store.host.await(attaching);

        assertThat(second.reply.subscriptions().get(0).retainedFrom()).isEqualTo(places.get("#"));
        second.attachment().request(100);
        store.host.runUntilIdle();
        assertThat(replay(second, "#", "z", "three", 2)).isCompletedWithValue(ReplayOutcome.STORED);
        assertThat(second.payloads()).containsExactly("one", "two", "three");
    }

    /** The lost message would be before the position that a later batch writes. */
    @Test
    void behindABatchThatFailedNoneIsTaken() {
        TestConnection connection = store.attach("a");
        connection.attachment().request(100);
        subscribe(connection, subscription("#", 0));
        store.host.holdSeals();
        CompletableFuture<ReplayOutcome> first = replayLater(connection, "#", "x", "one", 2);
        CompletableFuture<ReplayOutcome> second = replayLater(connection, "#", "y", "two", 0);
        store.host.runUntilIdle();
        assertThat(second).isNotDone();
        store.host.failWrites(RangeException.Cause.OVERLOADED);
        CompletableFuture<ReplayOutcome> third = replayLater(connection, "#", "z", "three", 2);
        store.host.acceptWrites();
        store.host.releaseSeals();
        store.host.runUntilIdle();
        assertThat(first).isCompletedExceptionally();
        assertThat(second).isCompletedWithValue(ReplayOutcome.BEHIND);
        assertThat(third).isCompletedWithValue(ReplayOutcome.BEHIND);
        assertThat(connection.payloads()).isEmpty();

        places.clear();
        replay(connection, "#", "x", "one", 2);
        replay(connection, "#", "y", "two", 0);
        replay(connection, "#", "z", "three", 2);
        assertThat(connection.payloads()).containsExactly("one", "two", "three");
    }

    @Test
    void aSubscriptionMadeAgainBeginsAgainWhateverIsOnItsWay() {
        TestConnection connection = store.attach("a");
        connection.attachment().request(100);
        subscribe(connection, subscription("#", 0), subscription("+", 0));
        store.host.holdCommits();
        replayLater(connection, "#", "x", "one", 2);
        store.host.runUntilIdle();
        CompletableFuture<ReplayOutcome> waiting = replayLater(connection, "+", "x", "two", 2);
        CompletableFuture<List<Boolean>> again =
                connection.attachment().subscribe(List.of(subscription("#", 0), subscription("+", 0)));
        store.host.runUntilIdle();
        store.host.releaseCommits();
        store.host.await(again);
        assertThat(waiting).isCompletedWithValue(ReplayOutcome.BEHIND);

        places.clear();
        store.host.crashAndRestart();
        TestConnection back = attach();
        back.attachment().request(100);
        assertThat(owed(back)).containsExactly("#", "+");
        assertThat(replay(back, "#", "x", "one", 2)).isCompletedWithValue(ReplayOutcome.STORED);
        assertThat(replay(back, "+", "x", "two", 2)).isCompletedWithValue(ReplayOutcome.STORED);
        assertThat(back.payloads()).containsExactly("one", "one", "two");
    }

    /** One write of its position for a whole batch of messages. */
    @Test
    void aPlaceIsWrittenOnceABatch() {
        InboxFixture wide = new InboxFixture();
        TestConnection connection = wide.attach("a");
        wide.host.await(connection.attachment().subscribe(List.of(subscription("#", 0))));
        List<String> payloads = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            payloads.add("m" + i);
        }
        wide.host.holdSeals();
        stepAll(wide, connection, payloads);
        wide.host.runUntilIdle();
        assertThat(wide.host.waitingProposals()).isOne();
        wide.host.releaseSeals();
        wide.host.runUntilIdle();
        assertThat(wide.stored("a", InboxKeys.RETAINED)).isOne();
        assertThat(wide.stored("a", InboxKeys.RUN)).isOne();
        wide.close();
    }

    @Test
    void whatNeedsNoPlaceIsOnRecordASecondLater() {
        TestConnection connection = store.attach("a");
        connection.attachment().request(100);
        subscribe(connection, subscription("#", 0));
        assertThat(replay(connection, "#", "x", "no one waits", 0)).isCompletedWithValue(ReplayOutcome.STORED);
        assertThat(connection.payloads()).containsExactly("no one waits");
        store.host.advanceMillis(2_000);
        store.host.crashAndRestart();
        assertThat(attach().reply.subscriptions().get(0).retainedFrom()).isEqualTo(places.get("#"));
    }

    @Test
    void whatIsDoneIsOnRecordAtOnce() {
        TestConnection connection = store.attach("a");
        subscribe(connection, subscription("x", 0), subscription("y", 0));
        replay(connection, "x", "x", "retained", 1);
        connection.attachment().replayed(filter("x"), places.get("x"));
        store.host.runUntilIdle();
        store.host.crashAndRestart(); // without a detach
        assertThat(owed(attach())).containsExactly("y");
        assertThat(store.stored("a", InboxKeys.RETAINED)).isOne();
    }

    // --- none after a newer live one

    @Test
    void aRetainedMessageIsSkippedWhereANewerLiveOneCame() {
        TestConnection connection = store.attach("a");
        connection.attachment().request(10);
        subscribe(connection, subscription("#", 0));
        live(connection, "x", "live");

        assertThat(replay(connection, "x", "stale", 1)).isCompletedWithValue(ReplayOutcome.OUTDATED);
        assertThat(replay(connection, "y", "retained", 1)).isCompletedWithValue(ReplayOutcome.STORED);
        assertThat(connection.payloads()).containsExactly("live", "retained");
        assertThat(connection.delivered.get(1).retain()).isTrue();

        connection.attachment().replayed(filter("#"), places.get("#"));
        subscribe(connection, subscription("x", 0));
        assertThat(replay(connection, "x", "x", "another subscription", 1)).isCompletedWithValue(ReplayOutcome.STORED);
    }

    @Test
    void whileAnotherReplayGoesOnNothingIsForgotten() {
        TestConnection connection = store.attach("a");
        connection.attachment().request(10);
        subscribe(connection, subscription("x", 0), subscription("y", 0));
        live(connection, "y", "live");
        connection.attachment().replayed(filter("x"), "");
        assertThat(replay(connection, "y", "y", "stale", 1)).isCompletedWithValue(ReplayOutcome.OUTDATED);
    }

    /** Even if no client was connected in between, or the process ended. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatCameLiveIsRememberedUntilNothingIsOwed(boolean isKilled) {
        TestConnection first = store.attach("a");
        first.attachment().request(10);
        subscribe(first, subscription("#", 0));
        live(first, "x", "live");
        store.insert("a", first.reply.incarnation(), store.message("y", "live at QoS 0", 0, -1));
        first.acknowledgeAll();
        if (isKilled) {
            store.host.crashAndRestart();
        } else {
            store.detach(first);
        }
        live(first, "z", "while away");
        store.host.crashAndRestart();

        TestConnection back = attach();
        back.attachment().request(10);
        for (String topic : List.of("x", "y", "z")) {
            assertThat(replay(back, topic, "stale", 1)).isCompletedWithValue(ReplayOutcome.OUTDATED);
        }
        assertThat(replay(back, "w", "retained", 1)).isCompletedWithValue(ReplayOutcome.STORED);
        assertThat(store.stored("a", InboxKeys.LIVE)).isEqualTo(3);
        back.attachment().replayed(filter("#"), places.get("#"));
        store.host.runUntilIdle();
        assertThat(store.stored("a", InboxKeys.LIVE)).isZero();
    }

    @Test
    void aTopicIsNotedOnceHoweverOftenItComes() {
        InboxFixture wide = new InboxFixture();
        TestConnection connection = wide.attach("a");
        connection.attachment().request(1000);
        wide.host.await(connection.attachment().subscribe(List.of(subscription("t/#", 0), subscription("#", 0))));
        for (int i = 0; i < 50; i++) {
            wide.insert("a", connection.reply.incarnation(), wide.message("live", 1));
            wide.insert("a", connection.reply.incarnation(), wide.message("unmatched", "live", 1, -1));
        }
        assertThat(wide.stored("a", InboxKeys.LIVE)).isEqualTo(2);
        wide.close();
    }

    /** Messages that are not stored are appended to the queue. */
    @Test
    void oneOfQos0ThatWasNotSentDoesNotComeBehindANewerLiveOneToTheNextConnection() {
        TestConnection first = store.attach("a");
        subscribe(first, subscription("#", 0));
        live(first, "w", "before");
        replay(first, "#", "x", "stale", 0);
        replay(first, "#", "y", "retained", 0);
        live(first, "x", "live");
        store.detach(first);
        TestConnection back = attach();
        back.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(back.payloads()).containsExactly("before", "live", "retained");
        assertThat(store.events).isEmpty();
    }

    /** Its publisher was refused: there is nothing newer than the retained message. */
    @Test
    void aLiveMessageThatCouldNotBeWrittenMakesNothingStale() {
        TestConnection connection = store.attach("a");
        connection.attachment().request(10);
        subscribe(connection, subscription("#", 0));
        store.host.failWrites(RangeException.Cause.OVERLOADED);
        var refused = store.insertLater("a", connection.reply.incarnation(), store.message("x", "refused", 1, -1));
        store.host.runUntilIdle();
        store.host.acceptWrites();
        assertThat(refused).isCompletedExceptionally();
        assertThat(replay(connection, "x", "retained", 1)).isCompletedWithValue(ReplayOutcome.STORED);
        assertThat(connection.payloads()).containsExactly("retained");
    }

    @Test
    void whatTheConnectionBeforeStillSendsHasNoEffect() {
        TestConnection first = store.attach("a");
        subscribe(first, subscription("#", 0));
        TestConnection second = attach();
        second.attachment().request(10);
        live(second, "x", "live");
        assertThat(replay(first, "x", "stale", 1)).isCompletedExceptionally();
        assertThat(second.payloads()).containsExactly("live");
    }

    @Test
    void anExpiredOneIsOutdated() {
        TestConnection connection = store.attach("a");
        connection.attachment().request(10);
        subscribe(connection, subscription("#", 0));
        Message message = store.message("x", "old", 1, 10);
        store.host.advanceMillis(20_000);
        CompletableFuture<ReplayOutcome> outcome = connection
                .attachment()
                .replay(new ReplayStep(filter("#"), "", "x", message, Qos.AT_LEAST_ONCE, new int[0]));
        store.host.runUntilIdle();
        assertThat(outcome).isCompletedWithValue(ReplayOutcome.OUTDATED);
        assertThat(store.events).isEmpty();
    }

    @Test
    void aFullQueueTakesNoRetainedMessageAndLosesNothingForIt() {
        TestConnection connection = store.attach("a");
        subscribe(connection, subscription("#", 0));
        live(connection, "1", "one");
        live(connection, "2", "two");
        assertThat(replay(connection, "x", "retained", 2)).isCompletedWithValue(ReplayOutcome.FULL);
        assertThat(replay(connection, "y", "behind it", 0)).isCompletedWithValue(ReplayOutcome.BEHIND);
        assertThat(store.events).isEmpty();

        connection.attachment().request(10);
        store.host.runUntilIdle();
        places.clear();
        assertThat(replay(connection, "x", "retained", 2)).isCompletedWithValue(ReplayOutcome.STORED);
        assertThat(connection.payloads()).containsExactly("one", "two", "retained");
    }

    @Test
    void oneThatCouldNotBeWrittenFailsAndMayBeRepeated() {
        TestConnection connection = store.attach("a");
        connection.attachment().request(10);
        subscribe(connection, subscription("#", 0));
        store.host.failWrites(RangeException.Cause.DISK_FULL);
        assertThat(replay(connection, "x", "retained", 2)).isCompletedExceptionally();
        store.host.acceptWrites();
        places.clear();
        assertThat(replay(connection, "x", "retained", 2)).isCompletedWithValue(ReplayOutcome.STORED);
        assertThat(connection.payloads()).containsExactly("retained");
    }

    /** A replay skips by the time of its own subscription, not of another one that is still owed messages. */
    @Test
    @Clause("MQTT5-3.3.1-9")
    void aReplaySkipsOnlyWhatCameSinceItsSubscription() {
        TestConnection connection = store.attach("a");
        connection.attachment().request(10);
        subscribe(connection, subscription("#", 0));
        live(connection, "x", "live x");
        subscribe(connection, subscription("+", 0));
        live(connection, "y", "live y");
        assertThat(replay(connection, "x", "stale", 1)).isCompletedWithValue(ReplayOutcome.OUTDATED);
        assertThat(replay(connection, "+", "x", "retained", 1)).isCompletedWithValue(ReplayOutcome.STORED);
        assertThat(replay(connection, "+", "y", "stale", 1)).isCompletedWithValue(ReplayOutcome.OUTDATED);
        subscribe(connection, subscription("#", 0));
        places.remove("#");
        assertThat(replay(connection, "x", "retained again", 1)).isCompletedWithValue(ReplayOutcome.STORED);
        live(connection, "x", "live x again");
        assertThat(replay(connection, "+", "x", "stale", 1)).isCompletedWithValue(ReplayOutcome.OUTDATED);
        assertThat(connection.payloads())
                .containsExactly("live x", "live y", "retained", "retained again", "live x again");
    }

    private TestConnection attach() {
        return store.attach("a");
    }

    private CompletableFuture<ReplayOutcome> replay(TestConnection connection, String topic, String payload, int qos) {
        return replay(connection, "#", topic, payload, qos);
    }

    private CompletableFuture<ReplayOutcome> replay(
            TestConnection connection, String filter, String topic, String payload, int qos) {
        CompletableFuture<ReplayOutcome> outcome = replayLater(connection, filter, topic, payload, qos);
        store.host.runUntilIdle();
        return outcome;
    }

    /** The next step of the filter's replay. */
    private CompletableFuture<ReplayOutcome> replayLater(
            TestConnection connection, String filter, String topic, String payload, int qos) {
        String from = places.getOrDefault(filter, StoredSubscription.ALL_RETAINED);
        String to = topic + "." + steps++;
        places.put(filter, to);
        return connection
                .attachment()
                .replay(new ReplayStep(
                        filter(filter), from, to, store.message(topic, payload, qos, -1), Qos.of(qos), new int[0]));
    }

    /** Delivers the messages of {@code payloads} to "#"; each payload is also its position. */
    private static void stepAll(InboxFixture store, TestConnection connection, List<String> payloads) {
        for (String payload : payloads) {
            int number = Integer.parseInt(payload.substring(1));
            connection
                    .attachment()
                    .replay(new ReplayStep(
                            filter("#"),
                            number == 0 ? StoredSubscription.ALL_RETAINED : "m" + (number - 1),
                            payload,
                            store.message("t/" + payload, payload, 2, -1),
                            Qos.EXACTLY_ONCE,
                            new int[0]));
        }
    }

    private void live(TestConnection connection, String topic, String payload) {
        store.insert("a", connection.reply.incarnation(), store.message(topic, payload, 1, -1));
    }

    private void subscribe(TestConnection connection, StoredSubscription... subscriptions) {
        store.host.await(connection.attachment().subscribe(Arrays.asList(subscriptions)));
    }

    private static StoredSubscription subscription(String filter, int retainHandling) {
        return new StoredSubscription(filter(filter), Qos.EXACTLY_ONCE, false, false, retainHandling, 0);
    }

    private static List<String> owed(TestConnection connection) {
        return connection.reply.subscriptions().stream()
                .filter(StoredSubscription::isOwedRetained)
                .map(subscription -> subscription.filter().text())
                .toList();
    }

    private static TopicFilter filter(String text) {
        return TopicFilter.parse(text).orElseThrow();
    }
}
