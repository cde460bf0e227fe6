package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.client.ReplayOutcome;
import io.godwit.inbox.client.ReplayStep;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RequestOrder;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The order of inserts: no message is stored when an earlier one of its publisher has failed. */
class InsertOrderTest {
    private static final TopicFilter ALL = new TopicFilter(null, "#");

    private final InboxFixture store = new InboxFixture();

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    @Clause("MQTT5-4.6.0-5")
    void aMessageIsNotStoredAfterAnEarlierOneFailed() {
        long incarnation = store.absent("a");
        RequestOrder order = new RequestOrder();
        store.host.failWrites(RangeException.Cause.OVERLOADED);
        CompletableFuture<List<InsertOutcome>> one = store.client.insert(ordered(incarnation, 1, order));
        store.host.runUntilIdle();
        assertThat(one).isCompletedExceptionally();
        store.host.acceptWrites();
        CompletableFuture<List<InsertOutcome>> two = store.client.insert(ordered(incarnation, 2, order));
        store.host.runUntilIdle();
        assertThat(two).isCompletedExceptionally();

        RequestOrder again = new RequestOrder();
        for (int number = 1; number <= 2; number++) {
            assertThat(store.host.await(store.client.insert(ordered(incarnation, number, again))))
                    .containsExactly(InsertOutcome.STORED);
        }
        assertThat(queued()).containsExactly("1", "2");
    }

    /** At QoS 1 repeats are not recognised, so the inbox may have a message twice, but in order. */
    @Test
    @Clause({"MQTT5-4.6.0-5", "MQTT311-4.6.0-6"})
    void aMessageWithoutATokenIsNotStoredAfterAnEarlierOneFailed() {
        long incarnation = store.absent("a");
        RequestOrder order = new RequestOrder();
        assertThat(store.host.await(store.client.insert(withoutToken(incarnation, 1, order))))
                .containsExactly(InsertOutcome.STORED);
        store.host.failWrites(RangeException.Cause.OVERLOADED);
        CompletableFuture<List<InsertOutcome>> two = store.client.insert(withoutToken(incarnation, 2, order));
        store.host.runUntilIdle();
        assertThat(two).isCompletedExceptionally();
        store.host.acceptWrites();
        CompletableFuture<List<InsertOutcome>> three = store.client.insert(withoutToken(incarnation, 3, order));
        store.host.runUntilIdle();
        assertThat(three).isCompletedExceptionally();

        RequestOrder again = new RequestOrder();
        for (int number = 1; number <= 3; number++) {
            assertThat(store.host.await(store.client.insert(withoutToken(incarnation, number, again))))
                    .containsExactly(InsertOutcome.STORED);
        }
        assertThat(queued()).containsExactly("1", "1", "2", "3");
    }

    /** The order is that of the messages; their copies have QoS 0, because the subscription has. */
    @Test
    void aCopyOfQos0IsNotDeliveredBehindAFailedMessage() {
        TestConnection receiver = store.attach("a");
        receiver.attachment().request(10);
        RequestOrder order = new RequestOrder();
        order.failed(1);
        CompletableFuture<List<InsertOutcome>> two =
                store.client.insert(withoutToken(receiver.reply.incarnation(), 2, order, Qos.AT_MOST_ONCE));
        store.host.runUntilIdle();
        assertThat(two).isCompletedExceptionally();
        assertThat(receiver.payloads()).isEmpty();
    }

    /** The second one is already placed in the queue when the first one fails. */
    @Test
    @Tag("in-process") // another node knows only its own failures, which is enough
    void aBatchLeavesOutAMessageBehindAFailedOne() {
        long incarnation = store.absent("a");
        RequestOrder order = new RequestOrder();
        store.host.holdSeals();
        CompletableFuture<List<InsertOutcome>> two = store.client.insert(ordered(incarnation, 2, order));
        CompletableFuture<List<InsertOutcome>> repeated =
                store.client.insert(ordered(incarnation, 2, new RequestOrder()));
        CompletableFuture<List<InsertOutcome>> other = store.client.insert(ordered(incarnation, 3, null));
        store.host.runUntilIdle();
        order.failed(1);
        store.host.releaseSeals();
        store.host.runUntilIdle();
        assertThat(two).isCompletedExceptionally();
        assertThat(repeated)
                .as("the first copy was not stored, so the repeat fails, too")
                .isCompletedExceptionally();
        assertThat(store.host.await(other)).containsExactly(InsertOutcome.STORED);
        assertThat(store.stored("a", InboxKeys.TOKEN)).isEqualTo(1);

        assertThat(store.host.await(store.client.insert(ordered(incarnation, 2, new RequestOrder()))))
                .containsExactly(InsertOutcome.STORED);
        assertThat(queued()).containsExactly("3", "2");
        store.host.crashAndRestart();
        assertThat(queued()).containsExactly("3", "2");
    }

    /**
     * The publisher has come back on another connection, and publishes later messages after its repeats, while the
     * first copies still wait for their entry.
     */
    @Test
    @Tag("in-process") // another node knows only its own failures, which is enough
    @Clause("MQTT5-4.6.0-5")
    void messagesAfterARepeatAreNotStoredIfTheFirstCopyIsLeftOut() {
        long incarnation = store.absent("a");
        RequestOrder before = new RequestOrder();
        RequestOrder after = new RequestOrder();
        store.host.holdSeals();
        List<CompletableFuture<List<InsertOutcome>>> inserts = List.of(
                store.client.insert(ordered(incarnation, 1, before)),
                store.client.insert(ordered(incarnation, 2, before)),
                store.client.insert(ordered(incarnation, 1, after)),
                store.client.insert(ordered(incarnation, 2, after)),
                store.client.insert(ordered(incarnation, 3, after)));
        store.host.runUntilIdle();
        before.failed(0);
        store.host.releaseSeals();
        store.host.runUntilIdle();
        assertThat(inserts).allSatisfy(insert -> assertThat(insert).isCompletedExceptionally());
        assertThat(queued()).isEmpty();

        RequestOrder last = new RequestOrder();
        for (int number = 1; number <= 3; number++) {
            assertThat(store.host.await(store.client.insert(ordered(incarnation, number, last))))
                    .containsExactly(InsertOutcome.STORED);
        }
        assertThat(queued()).containsExactly("1", "2", "3");
    }

    /** The entry without the copy is under way, and the repeat need not wait for it. */
    @Test
    @Tag("in-process")
    @Clause("MQTT5-4.6.0-5")
    void aRepeatKeepsItsPlaceIfTheFirstCopyWasLeftOut() {
        long incarnation = store.absent("a");
        RequestOrder before = new RequestOrder();
        RequestOrder after = new RequestOrder();
        store.host.holdSeals();
        CompletableFuture<List<InsertOutcome>> other = store.client.insert(ordered(incarnation, 1, null));
        CompletableFuture<List<InsertOutcome>> leftOut = store.client.insert(ordered(incarnation, 2, before));
        store.host.runUntilIdle();
        before.failed(1);
        store.host.holdCommits();
        store.host.releaseSeals();
        store.host.runUntilIdle();
        CompletableFuture<List<InsertOutcome>> repeated = store.client.insert(ordered(incarnation, 2, after));
        CompletableFuture<List<InsertOutcome>> behind = store.client.insert(ordered(incarnation, 3, after));
        store.host.runUntilIdle();
        store.host.releaseCommits();
        store.host.runUntilIdle();
        assertThat(other).isCompletedWithValue(List.of(InsertOutcome.STORED));
        assertThat(leftOut).isCompletedExceptionally();
        assertThat(repeated).isCompletedWithValue(List.of(InsertOutcome.STORED));
        assertThat(behind).isCompletedWithValue(List.of(InsertOutcome.STORED));
        assertThat(queued()).containsExactly("1", "2", "3");
        store.host.crashAndRestart();
        assertThat(queued()).containsExactly("1", "2", "3");
        assertThat(store.host.await(store.client.insert(ordered(incarnation, 2, null))))
                .containsExactly(InsertOutcome.ALREADY_THERE);
    }

    /** As above; then the repeat fails too. Callers that waited for the first copy must not take it for stored. */
    @Test
    @Tag("in-process")
    void aLaterCopyDoesNotAnswerCallersOfACopyThatIsLeftOut() {
        long incarnation = store.absent("a");
        RequestOrder before = new RequestOrder();
        store.host.holdSeals();
        store.client.insert(ordered(incarnation, 1, null));
        store.client.insert(ordered(incarnation, 2, before));
        CompletableFuture<List<InsertOutcome>> waits = store.client.insert(ordered(incarnation, 2, new RequestOrder()));
        store.host.runUntilIdle();
        before.failed(1);
        store.host.holdCommits();
        store.host.releaseSeals();
        store.host.runUntilIdle();
        store.host.holdSeals();
        CompletableFuture<List<InsertOutcome>> later = store.client.insert(ordered(incarnation, 2, new RequestOrder()));
        store.host.runUntilIdle();
        store.host.releaseCommits();
        store.host.runUntilIdle();
        assertThat(waits).isCompletedExceptionally();
        assertThat(later).isNotDone();
        store.host.releaseSeals();
        store.host.runUntilIdle();
        assertThat(later).isCompletedWithValue(List.of(InsertOutcome.STORED));
        assertThat(queued()).containsExactly("1", "2");
    }

    // --- retained messages that a left out message would have made outdated

    @Test
    @Tag("in-process") // another node knows only its own failures, which is enough
    void aMessageThatIsLeftOutMakesNoRetainedMessageOutdated() {
        TestConnection receiver = owedRetained();
        RequestOrder order = new RequestOrder();
        store.host.holdSeals();
        CompletableFuture<List<InsertOutcome>> two =
                store.client.insert(withoutToken(receiver.reply.incarnation(), 2, order));
        leaveOut(order);
        assertThat(two).isCompletedExceptionally();
        assertThat(store.stored("a", InboxKeys.LIVE)).isZero();

        CompletableFuture<ReplayOutcome> retained = replay(receiver);
        store.host.runUntilIdle();
        assertThat(retained).isCompletedWithValue(ReplayOutcome.STORED);
        assertThat(receiver.payloads()).containsExactly("retained");
    }

    @Test
    @Tag("in-process")
    void aRetainedMessageWaitsUntilANewerOneIsStoredOrLeftOut() {
        TestConnection receiver = owedRetained();
        RequestOrder order = new RequestOrder();
        store.host.holdSeals();
        store.client.insert(withoutToken(receiver.reply.incarnation(), 2, order));
        CompletableFuture<ReplayOutcome> retained = replay(receiver);
        store.host.runUntilIdle();
        assertThat(retained).isNotDone();
        leaveOut(order);
        assertThat(retained).isCompletedWithValue(ReplayOutcome.STORED);
        assertThat(receiver.payloads()).containsExactly("retained");
    }

    /** Another publisher's message of the topic is in the same batch. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("in-process")
    void aMessageBehindOneThatIsLeftOutMakesARetainedMessageOutdated(boolean isKilled) {
        TestConnection receiver = owedRetained();
        long incarnation = receiver.reply.incarnation();
        RequestOrder order = new RequestOrder();
        store.host.holdSeals();
        store.client.insert(withoutToken(incarnation, 2, order));
        store.client.insert(withoutToken(incarnation, 3, new RequestOrder()));
        leaveOut(order);
        assertThat(receiver.payloads()).containsExactly("3");
        if (isKilled) {
            store.host.crashAndRestart();
            receiver = store.attach("a");
        }
        CompletableFuture<ReplayOutcome> retained = replay(receiver);
        store.host.runUntilIdle();
        assertThat(retained).isCompletedWithValue(ReplayOutcome.OUTDATED);
    }

    private TestConnection owedRetained() {
        TestConnection receiver = store.attach("a");
        receiver.attachment().request(10);
        store.host.await(receiver.attachment()
                .subscribe(List.of(new StoredSubscription(ALL, Qos.EXACTLY_ONCE, false, false, 0, 0))));
        return receiver;
    }

    /** The messages after the first of the order are in a batch that is not sealed yet. */
    private void leaveOut(RequestOrder order) {
        store.host.runUntilIdle();
        order.failed(1);
        store.host.releaseSeals();
        store.host.runUntilIdle();
    }

    private CompletableFuture<ReplayOutcome> replay(TestConnection receiver) {
        Message retained = store.message("retained", 1);
        return receiver.attachment()
                .replay(new ReplayStep(
                        ALL, StoredSubscription.ALL_RETAINED, "t/1", retained, Qos.AT_LEAST_ONCE, new int[0]));
    }

    private List<String> queued() {
        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.host.runUntilIdle();
        List<String> payloads = back.payloads();
        store.detach(back);
        return payloads;
    }

    private InsertRequest withoutToken(long incarnation, long number, RequestOrder order) {
        return withoutToken(incarnation, number, order, Qos.AT_LEAST_ONCE);
    }

    private InsertRequest withoutToken(long incarnation, long number, RequestOrder order, Qos ofCopy) {
        return new InsertRequest(
                TenantId.DEFAULT,
                store.message(Long.toString(number), 1),
                List.of(InboxFixture.target("a", incarnation, ofCopy)),
                null,
                number,
                0,
                false,
                order,
                Resend.ALWAYS);
    }

    private InsertRequest ordered(long incarnation, long number, @Nullable RequestOrder order) {
        return new InsertRequest(
                TenantId.DEFAULT,
                store.message(Long.toString(number), 2),
                List.of(InboxFixture.target("a", incarnation, Qos.EXACTLY_ONCE)),
                "origin",
                number,
                1,
                false,
                order,
                Resend.ALWAYS);
    }
}
