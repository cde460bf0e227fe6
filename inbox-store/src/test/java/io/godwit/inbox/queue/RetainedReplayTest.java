package io.godwit.inbox.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.inbox.InboxConfig;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.ReplayOutcome;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Retained messages for the subscriptions of a session: which are owed, and that none comes behind a newer live one. */
class RetainedReplayTest {
    private static final InboxConfig SMALL = new InboxConfig(
            2, InboxConfig.DropPolicy.OLDEST, true, 100, Duration.ofSeconds(AttachRequest.NEVER), false);

    private final InboxFixture store = new InboxFixture(SMALL, 1);

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void aSubscriptionIsOwedWhatItsRetainHandlingAsksFor() {
        TestConnection connection = store.attach("a");
        subscribe(connection, subscription("always", 0));
        subscribe(connection, subscription("if-new", 1));
        subscribe(connection, subscription("never", 2));
        subscribe(connection, subscription("$share/g/shared", 0));
        assertThat(owed(store.attach("a"))).containsExactly("always", "if-new");
    }

    @Test
    void aRepeatedSubscriptionIsOwedAllAgainOnlyIfItAsksForIt() {
        TestConnection connection = store.attach("a");
        subscribe(connection, subscription("x", 1), subscription("y", 1), subscription("z", 1));
        connection.attachment().replayed(filter("x"), null);
        connection.attachment().replayed(filter("y"), "half");
        connection.attachment().replayed(filter("z"), null);
        subscribe(connection, subscription("x", 1), subscription("y", 2), subscription("z", 0));

        assertThat(store.attach("a").reply.subscriptions())
                .extracting(StoredSubscription::retainedFrom)
                .containsExactly(null, "half", StoredSubscription.ALL_RETAINED);
    }

    @Test
    void theNextConnectionGoesOnWhereTheReplayStopped() {
        TestConnection connection = store.attach("a");
        subscribe(connection, subscription("x", 0), subscription("y", 0));
        connection.attachment().replayed(filter("x"), "cursor");
        store.detach(connection);
        store.host.crashAndRestart();

        TestConnection back = store.attach("a");
        assertThat(back.reply.subscriptions())
                .extracting(StoredSubscription::retainedFrom)
                .containsExactly("cursor", StoredSubscription.ALL_RETAINED);
        back.attachment().replayed(filter("x"), null);
        store.host.runUntilIdle();
        store.host.crashAndRestart(); // without a detach: what is done is on record at once
        assertThat(owed(store.attach("a"))).containsExactly("y");
    }

    @Test
    void aCrashForgetsAtMostHowFarAReplayWas() {
        TestConnection connection = store.attach("a");
        subscribe(connection, subscription("x", 0));
        connection.attachment().replayed(filter("x"), "cursor");
        store.host.runUntilIdle();
        store.host.crashAndRestart();
        assertThat(owed(store.attach("a"))).containsExactly("x");
    }

    @Test
    void anUnsubscribedFilterIsOwedNothing() {
        TestConnection connection = store.attach("a");
        subscribe(connection, subscription("x", 0));
        store.host.await(connection.attachment().unsubscribe(List.of(filter("x"))));
        connection.attachment().replayed(filter("x"), "cursor");
        store.detach(connection);
        assertThat(store.attach("a").reply.subscriptions()).isEmpty();
    }

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

        connection.attachment().replayed(filter("#"), null);
        subscribe(connection, subscription("x", 0));
        assertThat(replay(connection, "x", "another subscription", 1)).isCompletedWithValue(ReplayOutcome.STORED);
    }

    @Test
    void whileAnotherReplayGoesOnNothingIsForgotten() {
        TestConnection connection = store.attach("a");
        connection.attachment().request(10);
        subscribe(connection, subscription("x", 0), subscription("y", 0));
        live(connection, "y", "live");
        connection.attachment().replayed(filter("x"), null);
        assertThat(replay(connection, "y", "y", "stale", 1)).isCompletedWithValue(ReplayOutcome.OUTDATED);
    }

    @Test
    void aResumedReplayIsSkippedWhereALiveOneCameSinceTheAttach() {
        TestConnection first = store.attach("a");
        subscribe(first, subscription("#", 0));
        store.detach(first);
        TestConnection back = store.attach("a");
        back.attachment().request(10);
        live(back, "x", "live");
        assertThat(replay(back, "x", "stale", 1)).isCompletedWithValue(ReplayOutcome.OUTDATED);
    }

    @Test
    void whatTheConnectionBeforeStillSendsHasNoEffect() {
        TestConnection first = store.attach("a");
        subscribe(first, subscription("#", 0));
        TestConnection second = store.attach("a");
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
        var message = store.message("x", "old", 1, 10);
        store.host.advanceMillis(20_000);
        CompletableFuture<ReplayOutcome> outcome =
                connection.attachment().replay(filter("#"), message, Qos.AT_LEAST_ONCE, new int[0]);
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
        assertThat(store.events).isEmpty();

        connection.attachment().request(10);
        store.host.runUntilIdle();
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
        assertThat(replay(connection, "x", "retained", 2)).isCompletedWithValue(ReplayOutcome.STORED);
        assertThat(connection.payloads()).containsExactly("retained");
    }

    /** What a replay has to skip began with its subscription, not with another one that is still owed something. */
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
        assertThat(replay(connection, "x", "retained again", 1)).isCompletedWithValue(ReplayOutcome.STORED);
        assertThat(connection.payloads()).containsExactly("live x", "live y", "retained", "retained again");
    }

    private CompletableFuture<ReplayOutcome> replay(TestConnection connection, String topic, String payload, int qos) {
        return replay(connection, "#", topic, payload, qos);
    }

    private CompletableFuture<ReplayOutcome> replay(
            TestConnection connection, String filter, String topic, String payload, int qos) {
        InboxAttachment attachment = connection.attachment();
        CompletableFuture<ReplayOutcome> outcome =
                attachment.replay(filter(filter), store.message(topic, payload, qos, -1), Qos.of(qos), new int[0]);
        store.host.runUntilIdle();
        return outcome;
    }

    private void live(TestConnection connection, String topic, String payload) {
        store.insert("a", connection.reply.incarnation(), store.message(topic, payload, 1, -1));
    }

    private void subscribe(TestConnection connection, StoredSubscription... subscriptions) {
        store.host.await(connection.attachment().subscribe(List.of(subscriptions)));
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
