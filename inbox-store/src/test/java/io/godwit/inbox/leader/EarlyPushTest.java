package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.InboxConfig;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.kv.client.RequestOrder;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.message.Qos;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class EarlyPushTest {
    private final InboxFixture store = new InboxFixture(InboxConfig.DEFAULT, 1);
    private TestConnection connection;
    private long incarnation;

    @BeforeEach
    void attach() {
        connection = store.attach("a");
        connection.attachment().request(100);
        incarnation = connection.reply.incarnation();
        // the first message of an inbox raises the ceiling, so that later ones can be sent early
        store.insert("a", incarnation, store.message("first", 1));
        connection.acknowledgeAll();
        connection.take();
        store.host.advanceMillis(2000);
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void theClientSeesTheMessageBeforeItIsSealedAndThePublisherIsNotToldYet() {
        store.host.holdSeals();
        CompletableFuture<List<InsertOutcome>> answer = store.insertLater("a", incarnation, store.message("m", 1));
        store.host.runUntilIdle();
        assertThat(connection.payloads()).containsExactly("m");
        assertThat(answer).isNotDone();
        store.host.releaseSeals();
        assertThat(store.host.await(answer)).containsExactly(InsertOutcome.STORED);
        assertThat(connection.payloads()).containsExactly("m");
    }

    @Test
    void anAcknowledgementBeforeTheSealTakesTheInsertBack() {
        long entries = store.host.appliedEntries();
        store.host.holdSeals();
        CompletableFuture<List<InsertOutcome>> answer = store.insertLater("a", incarnation, store.message("m", 1));
        store.host.runUntilIdle();
        connection.acknowledgeAll();
        assertThat(store.host.await(answer)).containsExactly(InsertOutcome.STORED);
        assertThat(store.host.waitingProposals()).isZero();
        store.host.releaseSeals();
        store.host.runUntilIdle();
        assertThat(store.host.appliedEntries()).isEqualTo(entries);
        assertThat(store.insert("a", incarnation, store.message("n", 1))).isEqualTo(InsertOutcome.STORED);
        assertThat(connection.payloads()).containsExactly("m", "n");
    }

    /** An earlier message of the publisher fails elsewhere before the entry is sealed. */
    @Test
    @Tag("in-process") // another node knows only its own failures, which is enough
    void whatWasSentEarlyBehindAFailedMessageIsNotStoredAndComesAgain() {
        RequestOrder order = new RequestOrder();
        store.host.holdSeals();
        CompletableFuture<List<InsertOutcome>> heldBack = store.client.insert(inOrder("m", 2, order));
        store.host.runUntilIdle();
        assertThat(connection.payloads()).containsExactly("m");
        order.failed(1);
        store.host.releaseSeals();
        store.host.runUntilIdle();
        assertThat(heldBack).isCompletedExceptionally();
        connection.acknowledgeAll();

        RequestOrder again = new RequestOrder();
        assertThat(store.host.await(store.client.insert(inOrder("l", 1, again))))
                .containsExactly(InsertOutcome.STORED);
        assertThat(store.host.await(store.client.insert(inOrder("m", 2, again))))
                .containsExactly(InsertOutcome.STORED);
        assertThat(connection.payloads()).containsExactly("m", "l", "m");
    }

    private InsertRequest inOrder(String payload, long number, RequestOrder order) {
        return new InsertRequest(
                TenantId.DEFAULT,
                store.message(payload, 1),
                List.of(InboxFixture.target("a", incarnation, Qos.AT_LEAST_ONCE)),
                null,
                number,
                0,
                false,
                order,
                Resend.ALWAYS);
    }

    @Test
    void otherReceiversOfTheMessageStillGetItStored() {
        long absent = store.absent("b");
        store.host.holdSeals();
        InsertRequest request = InboxFixture.request(
                store.message("m", 1),
                List.of(
                        InboxFixture.target("a", incarnation, Qos.AT_LEAST_ONCE),
                        InboxFixture.target("b", absent, Qos.AT_LEAST_ONCE)));
        CompletableFuture<List<InsertOutcome>> answer = store.client.insert(request);
        store.host.runUntilIdle();
        connection.acknowledgeAll();
        store.host.runUntilIdle();
        assertThat(answer).isNotDone();
        store.host.releaseSeals();
        assertThat(store.host.await(answer)).containsExactly(InsertOutcome.STORED, InsertOutcome.STORED);
        store.host.crashAndRestart();
        TestConnection back = store.attach("b");
        back.attachment().request(1);
        store.host.runUntilIdle();
        assertThat(back.payloads()).containsExactly("m");
        assertThat(store.stored("a", InboxKeys.RUN)).isLessThanOrEqualTo(1);
    }

    @Test
    void eachCopyIsCountedOnceAsStoredOrAsCancelled() {
        long absent = store.absent("b");
        long before = store.copies("stored"); // the first message of each inbox
        store.queued.clear();
        store.host.holdSeals();
        store.client.insert(InboxFixture.request(
                store.message("for both", 1),
                List.of(
                        InboxFixture.target("a", incarnation, Qos.AT_LEAST_ONCE),
                        InboxFixture.target("b", absent, Qos.AT_LEAST_ONCE))));
        store.host.runUntilIdle();
        connection.acknowledgeAll();
        store.host.runUntilIdle();
        assertThat(store.copies("cancelled")).isEqualTo(1);
        store.insertLater("b", absent, store.message("exactly once", 2));
        store.insertLater("b", absent, store.message("at most once", 0));
        store.host.runUntilIdle();
        assertThat(store.copies("stored")).isEqualTo(before);
        assertThat(store.queued).isEmpty();
        store.host.releaseSeals();
        store.host.runUntilIdle();
        assertThat(store.copies("stored")).isEqualTo(before + 2);
        assertThat(store.queued)
                .containsExactly(
                        queued("b", Qos.AT_LEAST_ONCE, "for both"), queued("b", Qos.EXACTLY_ONCE, "exactly once"));

        store.insert("a", incarnation, store.message("acknowledged once stored", 1));
        connection.acknowledgeAll();
        store.host.runUntilIdle();
        assertThat(store.copies("stored")).isEqualTo(before + 3);
        assertThat(store.copies("cancelled")).isEqualTo(1);
        assertThat(store.queued).hasSize(3).endsWith(queued("a", Qos.AT_LEAST_ONCE, "acknowledged once stored"));
    }

    private static BrokerEvent.MessageQueued queued(String clientId, Qos qos, String payload) {
        return new BrokerEvent.MessageQueued(TenantId.DEFAULT, new ClientId(clientId), "t/1", qos, payload.length());
    }

    @Test
    void whatIsLostBeforeTheCommitIsNotCounted() {
        long before = store.copies("stored");
        store.queued.clear();
        store.host.holdCommits();
        store.insertLater("a", incarnation, store.message("lost", 1));
        store.host.runUntilIdle();
        store.host.crashAndRestart();
        assertThat(store.copies("stored")).isEqualTo(before);
        assertThat(store.queued).isEmpty();
        assertThat(store.copies("cancelled")).isZero();
    }

    /** It comes too late to cancel the write, but the client needs nothing more. */
    @Test
    void anAcknowledgementAfterTheSealIsAnswerEnough() {
        store.host.holdCommits();
        CompletableFuture<List<InsertOutcome>> answer = store.insertLater("a", incarnation, store.message("m", 1));
        store.host.runUntilIdle();
        connection.acknowledgeAll();
        store.host.runUntilIdle();
        assertThat(answer).isCompletedWithValue(List.of(InsertOutcome.STORED));
        long stored = store.copies("stored");
        store.host.releaseCommits();
        store.host.runUntilIdle();
        assertThat(store.copies("stored")).isEqualTo(stored + 1);
        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(back.payloads()).isEmpty();
    }

    @Test
    void afterADetachNothingIsTakenBack() {
        store.host.holdSeals();
        CompletableFuture<List<InsertOutcome>> answer = store.insertLater("a", incarnation, store.message("m", 1));
        store.host.runUntilIdle();
        connection.attachment().detach(-1, false);
        connection.acknowledgeAll();
        store.host.runUntilIdle();
        assertThat(answer).isNotDone();
        store.host.releaseSeals();
        assertThat(store.host.await(answer)).containsExactly(InsertOutcome.STORED);
        store.host.crashAndRestart();
        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(back.payloads()).containsExactly("m");
        assertThat(back.delivered.get(0).redelivered()).isTrue();
    }

    @Test
    void theConnectionThatTakesOverGetsItAgainOnceItIsStored() {
        store.host.holdSeals();
        store.insertLater("a", incarnation, store.message("m", 1));
        store.host.runUntilIdle();
        InboxMessage early = connection.delivered.get(0);
        TestConnection next = new TestConnection();
        var reply = store.attachLater("a", false, 60, null, next);
        store.host.runUntilIdle();
        connection.acknowledgeAll();
        store.host.releaseSeals();
        next.reply = store.host.await(reply);
        next.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(next.payloads()).containsExactly("m");
        assertThat(next.delivered.get(0).packetId()).isEqualTo(early.packetId());
        assertThat(next.delivered.get(0).redelivered()).isTrue();
    }

    @Test
    void onlyQos1WithNothingBeforeItAndCreditIsShownEarly() {
        store.host.holdSeals();
        store.insertLater("a", incarnation, store.message("exactly once", 2));
        store.insertLater("a", incarnation, store.message("behind it", 1));
        store.host.runUntilIdle();
        assertThat(connection.delivered).isEmpty();
        store.host.releaseSeals();
        store.host.runUntilIdle();
        assertThat(connection.payloads()).containsExactly("exactly once", "behind it");
    }

    @Test
    void aSequenceShownEarlyAndLostInACrashIsNotUsedAgain() {
        store.host.holdCommits();
        CompletableFuture<List<InsertOutcome>> answer = store.insertLater("a", incarnation, store.message("lost", 1));
        store.host.runUntilIdle();
        long shown = connection.delivered.get(0).sequence();
        store.host.crashAndRestart();
        assertThat(answer).isCompletedExceptionally();
        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.insert("a", incarnation, store.message("next", 1));
        assertThat(back.payloads()).containsExactly("next");
        assertThat(back.delivered.get(0).sequence()).isGreaterThan(shown);
        assertThat(back.delivered.get(0).redelivered()).isFalse();
    }
}
