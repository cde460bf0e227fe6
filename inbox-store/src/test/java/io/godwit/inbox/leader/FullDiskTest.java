package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxAttachment.Inbound;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.Will;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Below the low-water mark nothing is added; stored messages are delivered, acknowledged, finished and deleted as
 * always.
 */
class FullDiskTest {
    private final InboxFixture store = new InboxFixture();

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void aSessionResumesAndItsAcknowledgementsStay() {
        long incarnation = store.absent("a");
        for (int i = 0; i < 3; i++) {
            store.insert("a", incarnation, store.message("m" + i, 1));
        }
        store.host.refuseAdditions();
        assertDiskFull(store.insertLater("a", incarnation, store.message("refused", 1)));
        TestConnection back = resume();
        assertThat(back.payloads()).containsExactly("m0", "m1", "m2");
        back.acknowledgeAll();
        store.detach(back);
        store.host.crashAndRestart();
        store.host.refuseAdditions();
        assertThat(resume().payloads()).isEmpty();

        store.host.acceptWrites();
        assertThat(store.insert("a", incarnation, store.message("accepted", 1))).isEqualTo(InsertOutcome.STORED);
    }

    @Test
    void whatIsRefusedTakesNothingElseOfItsTurnWithIt() {
        long incarnation = store.absent("a");
        store.absent("b");
        store.insert("a", incarnation, store.message("m", 1));
        TestConnection back = resume();
        store.host.refuseAdditions();
        CompletableFuture<List<InsertOutcome>> before =
                store.insertLater("a", incarnation, store.message("refused", 1));
        back.acknowledgeAll();
        CompletableFuture<AttachReply> other =
                store.attachLater("b", false, AttachRequest.NEVER, null, new TestConnection());
        CompletableFuture<List<InsertOutcome>> behind =
                store.insertLater("a", incarnation, store.message("refused", 1));
        assertDiskFull(before);
        assertDiskFull(behind);
        assertThat(other).isCompleted();
        store.host.crashAndRestart();
        assertThat(resume().payloads()).isEmpty();
    }

    @Test
    void aQos2DeliveryThatHasBegunIsFinished() {
        long incarnation = store.absent("a");
        store.insert("a", incarnation, store.message("m", 2));
        TestConnection back = resume();
        long sequence = back.delivered.get(0).sequence();
        store.host.refuseAdditions();
        store.host.await(back.attachment().received(sequence));
        back.attachment().complete(sequence);
        store.host.advanceMillis(5_000);
        store.host.crashAndRestart();
        assertThat(resume().delivered).isEmpty();
    }

    @Test
    void aQos2PublishThatWasTakenIsFinishedAndANewOneIsRefused() {
        long incarnation = store.absent("a");
        TestConnection publisher = store.attach("p");
        Inbound taken = store.host.await(publisher.attachment().receive(1, store.message("m", 2)));
        store.host.refuseAdditions();
        assertDiskFull(publisher.attachment().receive(2, store.message("refused", 2)));
        assertThat(store.host
                        .await(publisher.attachment().receive(1, store.message("m", 2)))
                        .tokenNumber())
                .isEqualTo(taken.tokenNumber());
        assertThat(store.insertToken("a", incarnation, store.message("m", 2), taken.tokenNumber(), 0))
                .isEqualTo(InsertOutcome.STORED);
        store.host.await(publisher.attachment().distributed(1, taken.tokenNumber()));
        assertThat(store.host.await(publisher.attachment().release(1))).isTrue();
        assertThat(resume().payloads()).containsExactly("m");
    }

    @Test
    void aNewSubscriptionIsRefusedWhatWasSubscribedMayBeRepeatedAndEnded() {
        store.absent("a");
        TestConnection back = resume();
        store.host.refuseAdditions();
        assertDiskFull(back.attachment()
                .subscribe(List.of(InboxFixture.subscription("t/#"), InboxFixture.subscription("new"))));
        assertThat(store.host.await(back.attachment().subscribe(List.of(InboxFixture.subscription("t/#")))))
                .containsExactly(false);
        assertThat(store.host.await(back.attachment()
                        .unsubscribe(List.of(InboxFixture.subscription("t/#").filter()))))
                .containsExactly(true);
    }

    @Test
    void qos0IsDeliveredAndNotQueued() {
        long incarnation = store.absent("a");
        store.host.refuseAdditions();
        store.insert("a", incarnation, store.message("counted", 0));
        assertThat(store.dropped("store_failed")).isOne();
        TestConnection back = resume();
        store.insert("a", incarnation, store.message("live", 0));
        assertThat(back.payloads()).containsExactly("live");
    }

    @Test
    void sessionsEndAndExpire() {
        long incarnation = store.absent("a");
        store.insert("a", incarnation, store.message("m", 1));
        store.detach(store.attach("b", false, 10, null), -1, false);
        store.host.refuseAdditions();
        assertThat(store.host.await(store.client.delete(
                        InboxFixture.info("a").tenant(), InboxFixture.info("a").clientId())))
                .isTrue();
        store.host.advanceMillis(60_000);
        assertThat(store.stored("a")).isZero();
        assertThat(store.stored("b")).isZero();
    }

    /** Clients could otherwise create records without limit, under ever new client ids. */
    @Test
    void aNewSessionIsRefusedUnlessItEndsWithItsConnection() {
        store.host.refuseAdditions();
        assertDiskFull(attachLater("new", false, 60, null));
        assertDiskFull(attachLater("new", true, AttachRequest.NEVER, null));
        assertThat(store.stored("new")).isZero();
        TestConnection asking = store.attach("asking", false, 0, null);
        assertThat(asking.reply.sessionPresent()).isFalse();
        store.detach(asking);
        assertThat(store.stored("asking")).isZero();
        store.host.acceptWrites();
        assertThat(store.attach("new").reply.sessionPresent()).isFalse();
    }

    @Test
    void aWillThatTakesMoreThanThereWasIsRefused() {
        store.absent("a");
        store.host.refuseAdditions();
        assertDiskFull(attachLater("a", false, AttachRequest.NEVER, will(10_000)));
        assertDiskFull(attachLater("new", true, 0, will(1)));
        assertThat(store.published).isEmpty();

        store.host.acceptWrites();
        store.attach("a", false, AttachRequest.NEVER, will(10_000));
        store.host.refuseAdditions();
        assertThat(attachLater("a", false, AttachRequest.NEVER, will(9_000)))
                .as("a smaller will may replace a larger one")
                .isCompleted();
    }

    /** The client always has the same will; that must not stop it from resuming, which frees space. */
    @Test
    void aSessionResumesWithASmallWillWhichIsPublished() {
        long incarnation = store.absent("a");
        store.insert("a", incarnation, store.message("m", 1));
        store.host.refuseAdditions();
        TestConnection back = store.attach("a", false, AttachRequest.NEVER, will(100));
        back.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(back.payloads()).containsExactly("m");
        back.acknowledgeAll();
        store.publishAnswer = false;
        store.detach(back, -1, true);
        assertThat(store.published).hasSize(1);
        assertDiskFull(attachLater("a", false, AttachRequest.NEVER, will(100)));
        store.publishAnswer = true;
        store.host.advanceMillis(60_000);
        store.host.runUntilIdle();
        assertThat(attachLater("a", false, AttachRequest.NEVER, will(100)))
                .as("the old will is no longer owed")
                .isCompleted();
    }

    /** A delayed message that came at QoS 2 replaces its record in the publisher's inbox. */
    @Test
    void aWillInThePlaceOfWhatIsStoredIsTaken() {
        store.host.refuseAdditions();
        CompletableFuture<Void> refused = store.client.keepWill(InboxFixture.info("refused"), 60, will(10_000), false);
        CompletableFuture<Void> kept = store.client.keepWill(InboxFixture.info("kept"), 60, will(10_000), true);
        store.host.runUntilIdle();
        assertThat(kept).isCompleted();
        assertThat(refused).isCompletedExceptionally();
    }

    /** Not even the sent ceiling could be written. */
    @ParameterizedTest
    @EnumSource(End.class)
    @Clause("MQTT5-3.3.1-1")
    void whatWasSentWhileNothingCouldBeWrittenComesAgainAsARepetition(End end) {
        long incarnation = store.absent("a");
        for (int i = 0; i < 3; i++) {
            store.insert("a", incarnation, store.message("m" + i, 2));
        }
        TestConnection first = store.attach("a");
        store.host.failWrites(Cause.DISK_FULL);
        first.attachment().request(2);
        store.host.runUntilIdle();
        assertThat(first.payloads()).containsExactly("m0", "m1");
        CompletableFuture<?> ended = end == End.DISCONNECT
                ? first.attachment().detach(-1, false)
                : first.attachment()
                        .unsubscribe(List.of(InboxFixture.subscription("t/#").filter()));
        store.host.runUntilIdle();
        assertThat(ended).isCompletedExceptionally();
        assertDiskFull(attachLater("a", false, AttachRequest.NEVER, null));
        store.host.advanceMillis(5_000);
        assertDiskFull(attachLater("a", false, AttachRequest.NEVER, null));

        store.host.acceptWrites();
        store.host.advanceMillis(end == End.DISCONNECT ? 0 : 5_000);
        for (int connections = 0; connections < 2; connections++) {
            TestConnection back = resume();
            assertThat(back.payloads()).containsExactly("m0", "m1", "m2");
            assertThat(back.delivered.stream().map(InboxMessage::redelivered))
                    .containsExactly(true, true, connections > 0);
            store.detach(back);
            store.host.crashAndRestart();
        }
    }

    /** Its client has acknowledged all messages, but that could not be stored. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    @Clause("MQTT5-3.3.1-1")
    void whatWasAcknowledgedInVainComesAgainAsARepetition(int sent) {
        long incarnation = store.absent("a");
        for (int i = 0; i < 3; i++) {
            store.insert("a", incarnation, store.message("m" + i, 1));
        }
        TestConnection first = store.attach("a");
        store.host.failWrites(Cause.DISK_FULL);
        first.attachment().request(sent);
        store.host.runUntilIdle();
        first.acknowledgeAll();
        first.attachment().detach(-1, false);
        store.host.runUntilIdle();
        store.host.acceptWrites();
        TestConnection back = resume();
        assertThat(back.payloads()).containsExactly("m0", "m1", "m2");
        assertThat(back.delivered.stream().map(InboxMessage::redelivered)).containsExactly(true, true, sent == 3);
    }

    /** A connection that would have begun a new session is refused, and the old session continues. */
    @Test
    @Clause("MQTT5-3.3.1-1")
    void whatASessionWasSentThatDidNotEndAfterAllComesAgainAsARepetition() {
        long incarnation = store.absent("a");
        store.insert("a", incarnation, store.message("m0", 2));
        store.insert("a", incarnation, store.message("m1", 2));
        TestConnection first = store.attach("a");
        store.host.failWrites(Cause.DISK_FULL);
        first.attachment().request(1);
        store.host.runUntilIdle();
        assertDiskFull(attachLater("a", true, AttachRequest.NEVER, null));
        assertThat(first.ends).hasSize(1);
        store.host.acceptWrites();
        TestConnection back = resume();
        assertThat(back.reply.sessionPresent()).isTrue();
        assertThat(back.payloads()).containsExactly("m0", "m1");
        assertThat(back.delivered.stream().map(InboxMessage::redelivered)).containsExactly(true, false);
    }

    /** How a connection ends when its inbox cannot be written. */
    enum End {
        DISCONNECT,
        /** It is cut off, because its request cannot be written. */
        CUT_OFF
    }

    private CompletableFuture<AttachReply> attachLater(
            String clientId, boolean cleanStart, long expirySeconds, Will will) {
        CompletableFuture<AttachReply> answer =
                store.attachLater(clientId, cleanStart, expirySeconds, will, new TestConnection());
        store.host.runUntilIdle();
        return answer;
    }

    private Will will(int bytes) {
        return new Will(store.message("w".repeat(bytes), 1), 0);
    }

    private TestConnection resume() {
        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.host.runUntilIdle();
        return back;
    }

    private void assertDiskFull(CompletableFuture<?> answer) {
        store.host.runUntilIdle();
        assertThat(answer.handle(
                        (done, failure) -> failure instanceof CompletionException ? failure.getCause() : failure))
                .isCompletedWithValueMatching(
                        failure -> failure instanceof RangeException full && full.reason() == Cause.DISK_FULL);
    }
}
