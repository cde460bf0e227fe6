package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.inbox.InboxConfig;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxAttachment.Inbound;
import io.godwit.inbox.client.InboxFailure;
import io.godwit.inbox.client.InboxListener.Reason;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.ReplayOutcome;
import io.godwit.inbox.client.ReplayStep;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.client.Will;
import io.godwit.inbox.leader.qos.InboundHandler;
import io.godwit.inbox.ledger.QueueSettings;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Leaders that are stopped in good order, and the state that connections find at the next one. */
class MovedLeaderTest {
    private final InboxFixture store = new InboxFixture(InboxConfig.DEFAULT, 1);

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    @Clause("MQTT5-4.4.0-1")
    void whatTheConnectionWasGivenIsNotGivenAgainAndWhatItAnsweredIsFinished() {
        TestConnection before = attached(10);
        publish(before, 1, 3);
        store.host.moveLeaders();
        before.attachment().acknowledge(new long[] {sequence(before, 0)}); // no leader takes it any more
        store.host.runUntilIdle();
        assertThat(before.ends).containsExactly(Reason.MOVED);

        TestConnection next = goOn(before, 10, 1, 2);
        assertThat(next.delivered).isEmpty();
        publish(next, 2, 1);
        assertThat(next.payloads()).containsExactly("2/0");
        assertThat(next.delivered.get(0).redelivered()).isFalse();
        next.attachment().acknowledge(new long[] {sequence(before, 1), sequence(before, 2)});
        store.host.await(next.attachment().received(sequence(next, 0)));
        next.attachment().complete(sequence(next, 0));
        store.detach(next);

        TestConnection later = store.attach("a");
        later.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(later.delivered).isEmpty();
        assertThat(later.reply.incarnation()).isEqualTo(before.reply.incarnation());
    }

    @Test
    void whatWasPushedEarlyIsStoredAndItsPublisherAnswered() {
        TestConnection before = attached(10);
        publish(before, 1, 1); // brings the ceilings
        before.acknowledgeAll();
        before.take();
        store.host.advanceMillis(2000);
        store.host.holdSeals();
        CompletableFuture<List<InsertOutcome>> answer =
                store.insertLater("a", before.reply.incarnation(), store.message("early", 1));
        store.host.runUntilIdle();
        assertThat(before.payloads()).containsExactly("early");
        store.host.moveLeaders();
        store.host.runUntilIdle();
        assertThat(answer).isNotDone();
        assertThat(before.ends).isEmpty();

        store.host.releaseSeals();
        assertThat(store.host.await(answer)).containsExactly(InsertOutcome.STORED);
        assertThat(before.ends).containsExactly(Reason.MOVED);
        TestConnection next = goOn(before, 10, 0);
        publish(next, 1, 1);
        assertThat(next.payloads()).containsExactly("1/0");
        store.detach(next);
        TestConnection later = store.attach("a");
        later.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(later.payloads()).containsExactly("early", "1/0");
    }

    @Test
    void qos0ThatOnlyMemoryHadKeepsItsPlaces() {
        TestConnection before = attached(1);
        publish(before, 1, 2);
        publish(before, 0, 1);
        publish(before, 1, 1);
        store.move();
        store.insert("a", before.reply.incarnation(), store.message("between", 0));
        TestConnection next = goOn(before, 2, 0);
        publish(next, 0, 1);
        next.attachment().request(1);
        store.host.runUntilIdle();
        assertThat(before.payloads()).containsExactly("1/0");
        assertThat(next.payloads()).containsExactly("1/1", "0/0", "1/0", "between", "0/0");
        assertThat(store.events).isEmpty();
    }

    @Test
    void aConnectionThatDoesNotComeInTimeIsLost() {
        TestConnection before = store.attach("a", false, AttachRequest.NEVER, will(0));
        before.attachment().request(0);
        publish(before, 1, 1);
        publish(before, 0, 1);
        store.move();
        store.host.advanceMillis(QueueSettings.WAIT_ALONE_MILLIS - 1);
        assertThat(store.published).isEmpty();
        store.host.advanceMillis(2);
        assertThat(store.published).hasSize(1);
        assertThat(store.continueFrom(before, 0)).isNull();

        TestConnection later = store.attach("a");
        later.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(later.payloads()).containsExactly("1/0", "0/0");
        assertThat(later.delivered.get(0).redelivered()).isFalse();
    }

    @Test
    void aWillIsNotPublishedByAReplacement() {
        TestConnection before = store.attach("a", true, 0, will(0));
        store.move();
        TestConnection next = store.continueFrom(before, 0);
        store.host.advanceMillis(2 * QueueSettings.WAIT_ALONE_MILLIS);
        assertThat(store.published).isEmpty();
        store.move();
        store.detach(store.continueFrom(next, 0), -1, false);
        assertThat(store.published).isEmpty();
        assertThat(store.stored("a")).isZero();
    }

    /** Otherwise both would choose a member of a group for it. */
    @Test
    void whatALeaderWasPublishingIsNotSentAnyMoreOnceAnotherPublishesIt() {
        store.publishAnswer = null;
        TestConnection qos2 = store.attach("a");
        store.host.await(qos2.attachment().receive(5, store.message("m", 2)));
        store.detach(qos2);
        store.detach(store.attach("b", false, AttachRequest.NEVER, will(0)), -1, true);
        store.host.advanceMillis(InboundHandler.GRACE_MILLIS);
        assertThat(store.resends).hasSize(2).noneMatch(Resend::isAbandoned);

        List<Resend> before = List.copyOf(store.resends);
        store.resends.clear();
        store.move();
        assertThat(before).allMatch(Resend::isAbandoned);
        assertThat(store.resends).hasSize(2).noneMatch(Resend::isAbandoned);
    }

    @Test
    void whoHasLostTheSessionMeanwhileIsRefused() {
        TestConnection takenOver = attached(10);
        store.move();
        TestConnection other = store.attach("a");
        assertThat(store.continueFrom(takenOver, 0)).isNull();
        assertThat(other.ends).isEmpty();

        store.move();
        TestConnection anew = store.attach("a", true, AttachRequest.NEVER, null);
        store.move();
        assertThat(store.continueFrom(other, 0)).isNull();
        anew = store.continueFrom(anew, 0);

        store.move();
        store.host.await(store.client.delete(
                InboxFixture.info("a").tenant(), InboxFixture.info("a").clientId()));
        assertThat(store.continueFrom(anew, 0)).isNull();
    }

    @Test
    void whoIsStillAttachedAndWhoNeverWasIsRefused() {
        TestConnection attached = attached(10);
        assertThat(store.continueFrom(attached, 0)).isNull();
        assertThat(attached.ends).isEmpty();
        store.detach(attached);
        store.move();
        assertThat(store.continueFrom(attached, 0)).isNull();
    }

    @Test
    void aCrashEndsTheWaiting() {
        TestConnection before = store.attach("a", false, AttachRequest.NEVER, will(0));
        store.move();
        store.crash(0);
        store.host.runUntilIdle();
        assertThat(store.published).hasSize(1);
        assertThat(store.continueFrom(before, 0)).isNull();
    }

    @Test
    void aLeaderThatIsReplacedBeforeItsConnectionsHaveComeLeavesThemToTheNext() {
        TestConnection before = attached(1);
        publish(before, 1, 2);
        publish(before, 0, 1);
        store.move();
        store.move();
        store.host.holdReads();
        store.host.moveLeaders();
        store.host.releaseReads();
        store.host.runUntilIdle();
        TestConnection next = goOn(before, 1, 0);
        publish(next, 0, 1);
        assertThat(next.payloads()).containsExactly("1/1", "0/0", "0/0");
    }

    @Test
    void requestsThatWaitForTheirInboxToBeReadAreAnsweredInOrderWithWhatComesBehind() {
        long incarnation = store.absent("a");
        store.crash(0);
        store.host.holdReads();
        CompletableFuture<List<InsertOutcome>> first = store.insertLater("a", incarnation, store.message("first", 1));
        store.host.runUntilIdle();
        store.host.moveLeaders();
        store.host.runUntilIdle();
        CompletableFuture<List<InsertOutcome>> second = store.insertLater("a", incarnation, store.message("second", 1));
        store.host.runUntilIdle();
        assertThat(store.host.moves()).isZero();
        store.host.releaseReads();
        assertThat(store.host.await(first)).containsExactly(InsertOutcome.STORED);
        assertThat(store.host.await(second)).containsExactly(InsertOutcome.STORED);
        assertThat(store.host.moves()).isOne();
        TestConnection connection = attached(10);
        assertThat(connection.payloads()).containsExactly("first", "second");
    }

    @Test
    void aCallThatWasNotBegunFailsAndHasNoEffect() {
        TestConnection before = attached(10);
        publish(before, 2, 1);
        store.host.moveLeaders();
        CompletableFuture<Void> received = before.attachment().received(sequence(before, 0));
        CompletableFuture<List<Boolean>> subscribed =
                before.attachment().subscribe(List.of(InboxFixture.subscription("x")));
        store.host.runUntilIdle();
        assertThat(failureOf(received)).isEqualTo(InboxFailure.MOVED);
        assertThat(failureOf(subscribed)).isEqualTo(InboxFailure.MOVED);
        assertThat(failureOf(before.attachment().release(1))).isEqualTo(InboxFailure.MOVED);

        TestConnection next = goOn(before, 10, 0);
        assertThat(store.host.await(next.attachment().subscribe(List.of(InboxFixture.subscription("x")))))
                .containsExactly(true);
        store.host.await(next.attachment().received(sequence(before, 0)));
        TestConnection later = store.attach("a");
        later.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(later.delivered).extracting(InboxMessage::released).containsExactly(true);
    }

    @Test
    void anInboundFlowIsLeftToItsConnectionWhileThatIsAwaited() {
        TestConnection before = attached(10);
        Message message = store.message("in", 2);
        Inbound inbound = store.host.await(before.attachment().receive(7, message));
        store.move();
        assertThat(store.published).isEmpty();
        TestConnection next = goOn(before, 0);
        Inbound again = store.host.await(next.attachment().receive(7, message));
        assertThat(again.isDistributed()).isFalse();
        assertThat(again.tokenNumber()).isEqualTo(inbound.tokenNumber());
        assertThat(again.tokenOrigin()).isEqualTo(inbound.tokenOrigin());

        store.move();
        store.host.advanceMillis(QueueSettings.WAIT_ALONE_MILLIS + 1);
        assertThat(store.published).hasSize(1);
        assertThat(store.published.get(0).number()).isEqualTo(inbound.tokenNumber());
    }

    @Test
    void aReplayStandsWhereItsConnectionThinks() {
        TestConnection before = attached(10);
        TopicFilter filter = new TopicFilter(null, "r/#");
        StoredSubscription subscription = new StoredSubscription(filter, Qos.EXACTLY_ONCE, false, false, 0, 0);
        store.host.await(before.attachment().subscribe(List.of(subscription)));
        assertThat(step(before, filter, StoredSubscription.ALL_RETAINED, "r/1", 0))
                .isEqualTo(ReplayOutcome.STORED);
        store.move(); // positions after QoS 0 messages are written lazily
        TestConnection next = goOn(before, 10);
        assertThat(step(next, filter, "r/1", "r/2", 1)).isEqualTo(ReplayOutcome.STORED);
        store.host.await(next.attachment().replayed(filter, "r/2"));
        store.host.moveLeaders();
        store.host.runUntilIdle();
        assertThat(before.payloads()).containsExactly("r/1");
        assertThat(next.payloads()).containsExactly("r/2");
        assertThat(store.attach("a").reply.subscriptions())
                .extracting(StoredSubscription::retainedFrom)
                .containsExactly((String) null);
    }

    @Test
    void anIncarnationIsNotGivenOutTwiceThoughTheClockStands() {
        long first = store.attach("a", true, AttachRequest.NEVER, null).reply.incarnation();
        store.move();
        long second = store.attach("a", true, AttachRequest.NEVER, null).reply.incarnation();
        assertThat(second).isGreaterThan(first);
    }

    private TestConnection attached(int credit) {
        TestConnection connection = store.attach("a");
        connection.attachment().request(credit);
        store.host.runUntilIdle();
        return connection;
    }

    /** @param unanswered numbers of deliveries to {@code before} */
    private TestConnection goOn(TestConnection before, int credit, int... unanswered) {
        long sentUpTo = before.delivered.stream()
                .mapToLong(InboxMessage::sequence)
                .max()
                .orElse(0);
        long[] sequences = new long[unanswered.length];
        for (int i = 0; i < unanswered.length; i++) {
            sequences[i] = sequence(before, unanswered[i]);
        }
        TestConnection next = store.continueFrom(before, sentUpTo, sequences);
        assertThat(next).isNotNull();
        next.attachment().request(credit);
        store.host.runUntilIdle();
        return next;
    }

    private static long sequence(TestConnection connection, int delivery) {
        return connection.delivered.get(delivery).sequence();
    }

    private void publish(TestConnection to, int qos, int count) {
        for (int i = 0; i < count; i++) {
            assertThat(store.insert("a", to.reply.incarnation(), store.message(qos + "/" + i, qos)))
                    .isEqualTo(InsertOutcome.STORED);
        }
    }

    private ReplayOutcome step(TestConnection connection, TopicFilter filter, String from, String topic, int qos) {
        Message message = store.message(topic, topic, qos, -1);
        return store.host.await(connection
                .attachment()
                .replay(new ReplayStep(filter, from, topic, message, message.qos(), new int[0])));
    }

    private Will will(long delaySeconds) {
        return new Will(store.message("will", 1), delaySeconds);
    }

    private static InboxFailure failureOf(CompletableFuture<?> call) {
        assertThat(call).isCompletedExceptionally();
        return InboxFailure.of(call.handle((value, failure) -> failure).join());
    }
}
