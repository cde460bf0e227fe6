package io.godwit.inbox.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxAttachment.Inbound;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Qos;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ExactlyOnceTest {
    private final InboxFixture store = new InboxFixture();

    @AfterEach
    void close() {
        store.close();
    }

    // --- outbound

    @Test
    @Clause({"MQTT5-4.3.3-5", "MQTT5-4.3.3-6"})
    void aReceivedMessageIsReleasedAndNotSentAgain() {
        TestConnection connection = store.attach("a");
        connection.attachment().request(10);
        store.insert("a", connection.reply.incarnation(), store.message("m", 2));
        InboxMessage sent = connection.take().get(0);
        store.host.await(connection.attachment().received(sent.sequence()));
        store.host.crashAndRestart();

        for (int restarts = 0; restarts < 2; restarts++) {
            TestConnection back = store.attach("a");
            back.attachment().request(10);
            store.host.runUntilIdle();
            assertThat(back.delivered).hasSize(1);
            InboxMessage released = back.delivered.get(0);
            assertThat(released.released()).isTrue();
            assertThat(released.packetId()).isEqualTo(sent.packetId());
            assertThat(released.message().payload()).isEmpty();
            if (restarts > 0) {
                back.attachment().complete(released.sequence());
            }
            store.detach(back);
            store.host.crashAndRestart();
        }
        TestConnection last = store.attach("a");
        last.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(last.delivered).isEmpty();
    }

    @Test
    void pubrelMayOnlyFollowACommittedMark() {
        TestConnection connection = store.attach("a");
        connection.attachment().request(10);
        store.insert("a", connection.reply.incarnation(), store.message("m", 2));
        store.host.holdCommits();
        CompletableFuture<Void> received =
                connection.attachment().received(connection.delivered.get(0).sequence());
        store.host.runUntilIdle();
        assertThat(received).isNotDone();
        store.host.crashAndRestart();
        assertThat(received).isCompletedExceptionally();
        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(back.delivered.get(0).released()).isFalse();
        assertThat(back.delivered.get(0).redelivered()).isTrue();
    }

    @Test
    void aMarkThatCouldNotBeWrittenIsTakenBack() {
        TestConnection connection = store.attach("a");
        connection.attachment().request(10);
        store.insert("a", connection.reply.incarnation(), store.message("m", 2));
        store.host.failWrites(RangeException.Cause.DISK_FULL);
        CompletableFuture<Void> received =
                connection.attachment().received(connection.delivered.get(0).sequence());
        store.host.runUntilIdle();
        assertThat(received).isCompletedExceptionally();
        store.host.acceptWrites();
        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(back.delivered.get(0).released()).isFalse();
    }

    @Test
    @Clause("MQTT5-4.3.3-7")
    void anExpiredMessageIsFinishedOnlyIfItsFlowHasNotBegun() {
        long incarnation = store.absent("a");
        store.insert("a", incarnation, store.message("t", "begun", 2, 10));
        TestConnection first = store.attach("a");
        first.attachment().request(1);
        store.insert("a", incarnation, store.message("t", "not begun", 2, 10));
        assertThat(first.payloads()).containsExactly("begun");
        store.detach(first);
        store.host.advanceMillis(20_000);
        store.host.crashAndRestart();
        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(back.payloads()).containsExactly("begun");
        assertThat(store.dropped("expired")).isOne();
    }

    // --- tokens

    @Test
    void aRepeatUnderTheSameTokenIsAlreadyThere() {
        long incarnation = store.absent("a");
        assertThat(store.insertToken("a", incarnation, store.message("m", 2), 5, 5))
                .isEqualTo(InsertOutcome.STORED);
        assertThat(store.insertToken("a", incarnation, store.message("m", 2), 5, 5))
                .isEqualTo(InsertOutcome.ALREADY_THERE);
        store.host.crashAndRestart();
        assertThat(store.insertToken("a", incarnation, store.message("m", 2), 5, 5))
                .isEqualTo(InsertOutcome.ALREADY_THERE);
        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(back.payloads()).containsExactly("m");
    }

    @Test
    void whoOnlyAsksForATokenStoresNothing() {
        long incarnation = store.absent("a");
        assertThat(ask("a", incarnation, 5)).isEqualTo(InsertOutcome.DECLINED);
        assertThat(ask("a", incarnation + 1, 5)).isEqualTo(InsertOutcome.NO_SESSION);
        assertThat(store.insertToken("a", incarnation, store.message("m", 2), 5, 5))
                .isEqualTo(InsertOutcome.STORED);
        store.host.crashAndRestart();
        assertThat(ask("a", incarnation, 5)).isEqualTo(InsertOutcome.ALREADY_THERE);
        assertThat(ask("a", incarnation, 6)).isEqualTo(InsertOutcome.DECLINED);
        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(back.payloads()).containsExactly("m");
    }

    private InsertOutcome ask(String clientId, long incarnation, long number) {
        InsertRequest request = new InsertRequest(
                TenantId.DEFAULT,
                store.message("asks", 2),
                List.of(InboxFixture.target(clientId, incarnation, Qos.EXACTLY_ONCE)),
                "origin",
                number,
                0,
                false,
                true);
        return store.host.await(store.client.insert(request)).get(0);
    }

    @Test
    void aRepeatWaitsForWhatItRepeats() {
        long incarnation = store.absent("a");
        store.host.holdCommits();
        InsertRequest request = new InsertRequest(
                TenantId.DEFAULT,
                store.message("m", 2),
                List.of(InboxFixture.target("a", incarnation, Qos.EXACTLY_ONCE)),
                "origin",
                7,
                7,
                false);
        CompletableFuture<List<InsertOutcome>> first = store.client.insert(request);
        CompletableFuture<List<InsertOutcome>> second = store.client.insert(request);
        store.host.runUntilIdle();
        assertThat(first).isNotDone();
        assertThat(second).isNotDone();
        store.host.releaseCommits();
        assertThat(store.host.await(first)).containsExactly(InsertOutcome.STORED);
        assertThat(store.host.await(second)).containsExactly(InsertOutcome.ALREADY_THERE);
    }

    @Test
    void finishedTokensAreForgottenAndOldOnesToo() {
        long incarnation = store.absent("a");
        for (int i = 0; i < 20; i++) {
            store.insertToken("a", incarnation, store.message("m", 2), i, Math.max(0, i - 2));
        }
        assertThat(store.stored("a", InboxKeys.TOKEN)).isEqualTo(3);
        store.host.crashAndRestart();
        store.host.advanceMillis(TokenMemory.KEEP_MILLIS);
        assertThat(store.insertToken("a", incarnation, store.message("m", 2), 20, 0))
                .isEqualTo(InsertOutcome.STORED);
        assertThat(store.stored("a", InboxKeys.TOKEN)).isEqualTo(1);
    }

    @Test
    void aTokenWhoseInsertFailedIsNotRemembered() {
        long incarnation = store.absent("a");
        store.insert("a", incarnation, store.message("m", 1));
        store.host.failWrites(RangeException.Cause.OVERLOADED);
        InsertRequest request = new InsertRequest(
                TenantId.DEFAULT,
                store.message("m", 2),
                List.of(InboxFixture.target("a", incarnation, Qos.EXACTLY_ONCE)),
                "origin",
                7,
                7,
                false);
        CompletableFuture<List<InsertOutcome>> refused = store.client.insert(request);
        store.host.runUntilIdle();
        assertThat(refused).isCompletedExceptionally();
        store.host.acceptWrites();
        assertThat(store.host.await(store.client.insert(request))).containsExactly(InsertOutcome.STORED);
    }

    // --- inbound

    @Test
    void anInboundMessageIsDistributedUnderTheTokenItWasStoredWith() {
        TestConnection connection = store.attach("a");
        Inbound first = store.host.await(connection.attachment().receive(7, store.message("m", 2)));
        assertThat(first.isDistributed()).isFalse();
        assertThat(first.tokenFinishedBelow()).isEqualTo(first.tokenNumber());

        Inbound again = store.host.await(connection.attachment().receive(7, store.message("other", 2)));
        assertThat(again.isDistributed()).isFalse();
        assertThat(again.tokenNumber()).isEqualTo(first.tokenNumber());
        assertThat(again.tokenOrigin()).isEqualTo(first.tokenOrigin());
        assertThat(new String(again.message().payload(), StandardCharsets.UTF_8))
                .isEqualTo("m");

        store.host.await(connection.attachment().distributed(7));
        assertThat(store.host
                        .await(connection.attachment().receive(7, store.message("m", 2)))
                        .isDistributed())
                .isTrue();
        assertThat(store.host.await(connection.attachment().release(7))).isTrue();
        assertThat(store.host.await(connection.attachment().release(7))).isFalse();
        Inbound next = store.host.await(connection.attachment().receive(7, store.message("n", 2)));
        assertThat(next.isDistributed()).isFalse();
        assertThat(next.tokenNumber()).isGreaterThan(first.tokenNumber());
        assertThat(next.tokenFinishedBelow()).isEqualTo(next.tokenNumber());
    }

    @Test
    void packetIdsReceivedSurviveTheConnectionAndTheBroker() {
        TestConnection connection = store.attach("a");
        for (int packetId : new int[] {9, 3}) {
            store.host.await(connection.attachment().receive(packetId, store.message("m", 2)));
            store.host.await(connection.attachment().distributed(packetId));
        }
        store.detach(connection);
        assertThat(store.attach("a").reply.inbound()).containsExactly(3, 9);
        store.host.crashAndRestart();
        TestConnection back = store.attach("a");
        assertThat(back.reply.inbound()).containsExactly(3, 9);
        assertThat(store.published).isEmpty();
    }

    @Test
    void whatWasNotDistributedAtTheCrashIsResumedInOrderUnderItsToken() {
        TestConnection connection = store.attach("a");
        Inbound one = store.host.await(connection.attachment().receive(5, store.message("one", 2)));
        Inbound two = store.host.await(connection.attachment().receive(2, store.message("two", 2)));
        store.publishAnswer = false;
        store.host.crashAndRestart();
        store.host.runUntilIdle();
        assertThat(store.published).extracting(InboxFixture.Published::number).containsExactly(one.tokenNumber());

        // the client is back and repeats the first: it is told only when that is decided
        TestConnection back = store.attach("a");
        CompletableFuture<Inbound> repeated = back.attachment().receive(5, store.message("one", 2));
        store.host.runUntilIdle();
        assertThat(repeated).isNotDone();
        store.publishAnswer = true;
        store.host.advanceMillis(5000);
        assertThat(store.published)
                .extracting(InboxFixture.Published::number)
                .containsExactly(one.tokenNumber(), one.tokenNumber(), two.tokenNumber());
        assertThat(store.published).extracting(InboxFixture.Published::origin).containsOnly(one.tokenOrigin());
        assertThat(store.host.await(repeated).isDistributed()).isTrue();
        store.host.crashAndRestart();
        store.host.runUntilIdle();
        assertThat(store.published).hasSize(3);
    }

    @Test
    void aResumedMessageKeepsItsTokenAliveUntilItsMarkIsCommitted() {
        TestConnection connection = store.attach("a");
        Inbound one = store.host.await(connection.attachment().receive(5, store.message("one", 2)));
        Inbound two = store.host.await(connection.attachment().receive(2, store.message("two", 2)));
        store.host.crashAndRestart();
        store.host.runUntilIdle();
        assertThat(store.published)
                .extracting(InboxFixture.Published::number)
                .containsExactly(one.tokenNumber(), two.tokenNumber());
        assertThat(store.published.get(1).finishedBelow()).isEqualTo(one.tokenNumber());
    }

    @Test
    void aTokenIsFinishedOnlyOnceTheMarkIsCommitted() {
        TestConnection connection = store.attach("a");
        Inbound one = store.host.await(connection.attachment().receive(5, store.message("one", 2)));
        store.host.await(connection.attachment().receive(2, store.message("two", 2)));
        store.host.holdCommits();
        CompletableFuture<Void> marked = connection.attachment().distributed(5);
        CompletableFuture<Inbound> repeated = connection.attachment().receive(2, store.message("two", 2));
        store.host.runUntilIdle();
        assertThat(marked).isNotDone();
        assertThat(repeated.join().tokenFinishedBelow()).isEqualTo(one.tokenNumber());
        store.host.releaseCommits();
        store.host.await(marked);
        Inbound after = store.host.await(connection.attachment().receive(2, store.message("two", 2)));
        assertThat(after.tokenFinishedBelow()).isEqualTo(after.tokenNumber());
    }

    @Test
    void whatADetachedSessionLeftUndistributedIsResumedAtTheNextStart() {
        TestConnection connection = store.attach("a");
        store.host.await(connection.attachment().receive(5, store.message("m", 2)));
        store.detach(connection);
        store.host.runUntilIdle();
        assertThat(store.published).isEmpty();
        store.host.crashAndRestart();
        store.host.runUntilIdle();
        assertThat(store.published).hasSize(1);
    }

    @Test
    void aCleanStartForgetsInboundPacketIds() {
        TestConnection connection = store.attach("a");
        store.host.await(connection.attachment().receive(5, store.message("m", 2)));
        TestConnection clean = store.attach("a", true, AttachRequest.NEVER, null);
        assertThat(clean.reply.inbound()).isEmpty();
        store.host.crashAndRestart();
        store.host.runUntilIdle();
        assertThat(store.published).isEmpty();
    }

    // --- retained replay

    @Test
    void aRetainedReplayIsSkippedWhereANewerLiveMessageCame() {
        TestConnection connection = store.attach("a");
        long incarnation = connection.reply.incarnation();
        connection.attachment().request(10);
        connection.attachment().beginReplay();
        store.host.runUntilIdle();
        store.insert("a", incarnation, store.message("x", "live", 1, -1));
        replay(incarnation, "x", "stale");
        replay(incarnation, "y", "retained");
        assertThat(connection.payloads()).containsExactly("live", "retained");
        connection.attachment().endReplay();
        store.host.runUntilIdle();
        replay(incarnation, "x", "another subscription");
        assertThat(connection.payloads()).containsExactly("live", "retained", "another subscription");
    }

    /** What a replay has to skip began with it, not with one before it that is still open. */
    @Test
    @Clause("MQTT5-3.3.1-9")
    void aReplaySkipsOnlyWhatCameSinceItsBegin() {
        TestConnection connection = store.attach("a");
        long incarnation = connection.reply.incarnation();
        connection.attachment().request(10);
        connection.attachment().beginReplay();
        store.host.runUntilIdle();
        store.insert("a", incarnation, store.message("x", "live x", 1, -1));
        connection.attachment().beginReplay();
        store.host.runUntilIdle();
        store.insert("a", incarnation, store.message("y", "live y", 1, -1));
        replay(incarnation, "x", "stale for the first");
        connection.attachment().endReplay();
        replay(incarnation, "x", "retained for the second");
        replay(incarnation, "y", "stale for the second");
        connection.attachment().endReplay();
        assertThat(connection.payloads()).containsExactly("live x", "live y", "retained for the second");
    }

    private void replay(long incarnation, String topic, String payload) {
        InsertRequest request = new InsertRequest(
                TenantId.DEFAULT,
                store.message(topic, payload, 1, -1),
                List.of(InboxFixture.target("a", incarnation, Qos.AT_LEAST_ONCE)),
                null,
                0,
                0,
                true);
        assertThat(store.host.await(store.client.insert(request))).containsExactly(InsertOutcome.STORED);
    }
}
