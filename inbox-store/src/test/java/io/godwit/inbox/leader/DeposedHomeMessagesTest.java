package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.leader.state.ConfirmedAnswers;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Qos;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A home that may no longer lead gives no answer that only the leader can know. */
@Tag("in-process")
class DeposedHomeMessagesTest extends ThreeHomes {
    /** Otherwise a leader that does not know that it was replaced could make others remove a valid route. */
    @Test
    void thatThereIsNoSessionIsSaidByAConfirmedLeaderOnly() {
        TestConnection connection = homes.attach(2, led0);
        connection.attachment().request(10);
        homes.host.holdConfirmations();
        for (int qos = 0; qos <= 2; qos++) {
            CompletableFuture<List<InsertOutcome>> answer =
                    homes.client(1).insert(ofNextIncarnation("m", qos, connection, false));
            homes.advance(1_000);
            assertThat(answer).as("qos %s", qos).isNotDone();
            homes.host.releaseConfirmations();
            homes.run();
            assertThat(answer).isCompletedWithValue(List.of(InsertOutcome.NO_SESSION));
            homes.host.holdConfirmations();
        }
        homes.await(homes.insert(1, "there", 1, connection)); // an answer after a commit needs no other proof
        homes.run();
        assertThat(connection.payloads()).containsExactly("there");
    }

    /** QoS 0 messages keep coming while a leader without a majority gets no proof. */
    @Test
    void aBoundedNumberOfAnswersWaitsForTheProof() {
        TestConnection connection = homes.attach(0, led0);
        homes.host.holdConfirmations();
        InsertRequest request = ofNextIncarnation("m", 0, connection, false);
        List<CompletableFuture<List<InsertOutcome>>> answers = new ArrayList<>();
        for (int i = 0; i < ConfirmedAnswers.MAX_OPEN; i++) {
            answers.add(homes.client(0).insert(request));
        }
        homes.run();
        assertThat(answers).noneMatch(CompletableFuture::isDone);
        CompletableFuture<List<InsertOutcome>> refused = homes.client(0).insert(request);
        homes.run();
        assertThat(causeOf(refused)).isEqualTo(RangeException.Cause.OVERLOADED);
        homes.host.releaseConfirmations();
        homes.run();
        assertThat(answers).allMatch(answer -> answer.join().equals(List.of(InsertOutcome.NO_SESSION)));
    }

    @Test
    void whileALeaderWaitsForTheProofThatItIsOneTheNextOneIsAsked() {
        TestConnection connection = homes.attach(2, led0);
        homes.host.holdConfirmations();
        CompletableFuture<List<InsertOutcome>> moved =
                homes.client(1).insert(ofNextIncarnation("m", 1, connection, false));
        homes.run();
        homes.move(led0, 1);
        homes.advance(500);
        assertThat(moved).isNotDone();
        homes.host.changeLeaders();
        homes.advance(500);
        assertThat(moved)
                .as("the third leader has not confirmed its leadership yet")
                .isNotDone();
        homes.host.releaseConfirmations();
        assertThat(homes.await(moved)).containsExactly(InsertOutcome.NO_SESSION);
    }

    /** Otherwise another member of the group would get a QoS 2 message that this one has. */
    @Test
    void thatATokenIsNotKnownIsSaidByAConfirmedLeaderOnly() {
        TestConnection connection = homes.attach(2, led0);
        homes.host.holdConfirmations();
        InsertRequest asks = ofIncarnation("m", 2, connection, connection.reply.incarnation(), true);
        CompletableFuture<List<InsertOutcome>> unknown = homes.client(1).insert(asks);
        homes.advance(1_000);
        assertThat(unknown).isNotDone();
        homes.host.releaseConfirmations();
        assertThat(homes.await(unknown)).containsExactly(InsertOutcome.DECLINED);
        homes.await(homes.client(1).insert(ofIncarnation("m", 2, connection, connection.reply.incarnation(), false)));
        homes.host.holdConfirmations();
        assertThat(homes.await(homes.client(1).insert(asks))).containsExactly(InsertOutcome.ALREADY_THERE);
    }

    private InsertRequest ofNextIncarnation(String payload, int qos, TestConnection receiver, boolean onlyAsks) {
        return ofIncarnation(payload, qos, receiver, receiver.reply.incarnation() + 1, onlyAsks);
    }

    private InsertRequest ofIncarnation(
            String payload, int qos, TestConnection receiver, long incarnation, boolean onlyAsks) {
        InsertRequest.Target target = InboxFixture.target(receiver.clientId, incarnation, Qos.of(qos));
        return new InsertRequest(
                TenantId.DEFAULT,
                homes.message(payload, qos),
                List.of(target),
                qos == 2 ? "origin" : null,
                qos == 2 ? 7 : 0,
                0,
                onlyAsks,
                null,
                Resend.ALWAYS);
    }

    /** It stood still, or is cut off: another home has begun a session that it does not know. */
    @Test
    void aDeposedHomeThatDoesNotKnowTellsNobodyThatASessionIsOver() {
        assertThat(homes.host.depose(HomesFixture.key(led0), 1, 0)).isTrue();
        TestConnection connection = homes.attach(1, led0);
        homes.nodes.get(2).believes = 0;
        CompletableFuture<List<InsertOutcome>> first = homes.insert(2, "first", 1, connection);
        CompletableFuture<List<InsertOutcome>> second = homes.insert(2, "second", 2, connection);
        homes.run();
        assertThat(first).isNotDone();
        assertThat(second).isNotDone();
        homes.host.tellDeposed(0);
        homes.nodes.get(2).believes = null;
        assertThat(homes.await(first)).as("the next home answers").containsExactly(InsertOutcome.STORED);
        assertThat(homes.await(second)).containsExactly(InsertOutcome.STORED);
    }

    /** Otherwise a group would choose another of its members, and two would have the message. */
    @Test
    void aDeposedHomeThatDoesNotKnowTellsNobodyThatATokenIsUnknown() {
        TestConnection connection = homes.attach(2, led0);
        homes.host.depose(HomesFixture.key(led0), 1, 0);
        assertThat(homes.await(homes.client(1).insert(withToken(connection, false))))
                .containsExactly(InsertOutcome.STORED);
        homes.nodes.get(2).believes = 0;
        CompletableFuture<List<InsertOutcome>> known = homes.client(2).insert(withToken(connection, true));
        homes.run();
        assertThat(known).isNotDone();
        homes.host.tellDeposed(0);
        homes.nodes.get(2).believes = null;
        assertThat(homes.await(known)).as("the next home answers").containsExactly(InsertOutcome.ALREADY_THERE);
    }

    private InsertRequest withToken(TestConnection receiver, boolean onlyAsks) {
        InsertRequest request = homes.request("exactly once", 2, receiver);
        return new InsertRequest(
                request.tenant(), request.message(), request.targets(), "p", 1, 0, onlyAsks, null, Resend.ALWAYS);
    }

    /** Its queue was full, and the client has emptied it at the next home. */
    @Test
    void aDeposedHomeThatDoesNotKnowDropsNothing() {
        TestConnection absent = homes.attach(1, led0);
        homes.await(absent.attachment().detach(-1, false));
        for (int i = 0; i < HomesFixture.MAX_QUEUED; i++) {
            homes.insert(1, "m" + i, 1, absent);
        }
        assertThat(homes.await(homes.insert(1, "too many", 1, absent))).containsExactly(InsertOutcome.DROPPED);
        homes.host.depose(HomesFixture.key(led0), 1, 0);
        TestConnection emptying = homes.attach(1, led0);
        emptying.attachment().request(HomesFixture.MAX_QUEUED);
        homes.run();
        emptying.attachment()
                .acknowledge(emptying.take().stream()
                        .mapToLong(InboxMessage::sequence)
                        .toArray());
        homes.nodes.get(2).believes = 0;
        homes.host.holdSeals(); // its log does not take the accepted entries, so they are sent to the next home
        CompletableFuture<List<InsertOutcome>> answer = homes.insert(2, "fits", 1, absent);
        homes.run();
        assertThat(answer).isNotDone();
        homes.host.tellDeposed(0);
        homes.host.releaseSeals();
        homes.nodes.get(2).believes = null;
        assertThat(homes.await(answer)).containsExactly(InsertOutcome.STORED);
    }

    /** The state it left for the next leader on its own node is older than another node's leadership. */
    @Test
    void aHomeThatLeadsAgainGivesOutNothingThatIsOlderThanWhatAnotherHasGiven() {
        TestConnection first = homes.attach(2, led0);
        homes.run();
        homes.await(homes.insert(1, "old", 0, first)); // waits for credit, only in memory
        homes.run();
        homes.move(led0, 1);
        homes.run();
        TestConnection second = homes.goOn(2, first, 0);
        assertThat(second).isNotNull();
        second.attachment().request(10);
        homes.await(homes.insert(1, "new", 0, second));
        homes.await(homes.insert(1, "kept", 1, second));
        homes.run();
        assertThat(second.payloads()).containsExactly("new", "kept");
        long kept = second.take().get(1).sequence();
        homes.move(led0, 0);
        homes.run();
        TestConnection third = homes.goOn(2, second, kept, kept);
        assertThat(third).isNotNull();
        third.attachment().request(10);
        homes.await(homes.insert(1, "last", 0, third));
        homes.run();
        assertThat(third.payloads()).containsExactly("last");
    }
}
