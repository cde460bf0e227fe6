package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.link.LinkSettings;
import io.godwit.inbox.carrier.HomeSettings;
import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.client.SessionOwner;
import io.godwit.inbox.client.Will;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.Resend;
import io.godwit.kv.testing.InMemoryNode;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.NodeWait;
import io.godwit.plugin.message.Qos;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions of three nodes, used from nodes that do not lead them. */
@Tag("in-process")
class HomesTest {
    private final HomesFixture homes = new HomesFixture(3, 3);
    private final String led0 = homes.idLedBy(0, "a");
    private final String led1 = homes.idLedBy(1, "b");

    @AfterEach
    void close() {
        homes.close();
    }

    private static RangeException.Cause causeOf(CompletableFuture<?> failed) {
        assertThat(failed).isCompletedExceptionally();
        return failed.handle((value, failure) -> ((RangeException) failure).reason())
                .join();
    }

    @Test
    void anyNodeAttachesAndPublishes() {
        TestConnection connection = homes.attach(2, led0);
        connection.attachment().request(10);
        homes.await(homes.insert(1, "one", 1, connection));
        homes.await(homes.insert(0, "two", 2, connection));
        homes.await(homes.insert(2, "three", 1, connection));
        homes.run();
        assertThat(connection.payloads()).containsExactly("one", "two", "three");
        assertThat(homes.await(homes.client(1).owner(InboxFixture.info(led0)))).isEqualTo(SessionOwner.SAME_USER);
        homes.await(connection.attachment().detach(-1, false));
        assertThat(homes.await(homes.client(1).delete(TenantId.DEFAULT, new ClientId(led0))))
                .isTrue();
    }

    @Test
    void aMessageForInboxesOfSeveralHomesHasAnOutcomeForEachInOrder() {
        TestConnection a = homes.attach(2, led0);
        TestConnection b = homes.attach(2, led1);
        TestConnection gone = new TestConnection();
        gone.clientId = homes.idLedBy(2, "none");
        gone.reply = a.reply;
        a.attachment().request(10);
        b.attachment().request(10);
        assertThat(homes.await(homes.insert(2, "x", 1, b, gone, a)))
                .containsExactly(InsertOutcome.STORED, InsertOutcome.NO_SESSION, InsertOutcome.STORED);
        homes.run();
        assertThat(a.payloads()).containsExactly("x");
        assertThat(b.payloads()).containsExactly("x");
    }

    /** A leader that was replaced and does not know would have a route removed that is in force. */
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
        homes.await(homes.insert(1, "there", 1, connection)); // what is committed needs no other proof
        homes.run();
        assertThat(connection.payloads()).containsExactly("there");
    }

    /** Messages of QoS 0 come without end while a leader that has lost its majority gets no proof. */
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
        assertThat(moved).as("of the third leader").isNotDone();
        homes.host.releaseConfirmations();
        assertThat(homes.await(moved)).containsExactly(InsertOutcome.NO_SESSION);
    }

    /** Else another member of the group would get a message of QoS 2 that this one has. */
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

    /** The sender takes another node for the leader for a while; what it sends there is refused, and comes in order. */
    @Test
    void whatIsRefusedIsSentAgainInOrder() {
        TestConnection connection = homes.attach(2, led0);
        TestConnection other = homes.attach(2, led1);
        connection.attachment().request(100);
        homes.nodes.get(2).believes = 1;
        List<CompletableFuture<List<InsertOutcome>>> answers = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            answers.add(homes.insert(2, "m" + i, 1, connection, other));
        }
        homes.run();
        homes.move(led0, 1);
        homes.advance(100);
        for (int i = 10; i < 20; i++) {
            answers.add(homes.insert(2, "m" + i, 1, connection, other));
        }
        answers.forEach(answer -> assertThat(homes.await(answer)).hasSize(2));
        homes.run();
        assertThat(connection.payloads()).isEmpty(); // told to go on
        TestConnection next = homes.goOn(2, connection, 0);
        assertThat(next).isNotNull();
        next.attachment().request(100);
        homes.run();
        assertThat(next.payloads()).hasSize(20);
        for (int i = 0; i < 20; i++) {
            assertThat(next.payloads().get(i)).isEqualTo("m" + i);
        }
    }

    /** What an attachment says has no round: it comes behind what was refused before the attachment was there. */
    @Test
    void aQos2MessageIsMarkedDistributedThoughSomethingWasRefusedBefore() {
        TestConnection connection = homes.attach(2, led0);
        homes.nodes.get(2).believes = 1;
        CompletableFuture<List<InsertOutcome>> refused = homes.insert(2, "early", 1, connection);
        homes.run();
        homes.move(led0, 1);
        homes.nodes.get(2).believes = null;
        homes.advance(100);
        assertThat(homes.await(refused)).hasSize(1);
        TestConnection next = homes.goOn(2, connection, 0);
        assertThat(next).isNotNull();
        InboxAttachment.Inbound inbound = homes.await(next.attachment().receive(1, homes.message("exactly once", 2)));
        homes.await(next.attachment().distributed(1, inbound.tokenNumber()));
        assertThat(homes.await(next.attachment().release(1))).isTrue();
    }

    /** What waited at the first leader is older than what the client got from the second. */
    @Test
    void whatALeaderLeftInMemoryIsGivenUpWhenAnotherNodeHasLedMeanwhile() {
        TestConnection connection = homes.attach(2, led0);
        connection.attachment().request(1);
        homes.await(homes.insert(1, "sent", 1, connection));
        homes.await(homes.insert(1, "behind", 1, connection));
        homes.insert(1, "old", 0, connection); // has its place behind one that the client has no room for
        homes.run();
        List<InboxMessage> sent = connection.take();
        assertThat(sent).hasSize(1);

        homes.move(led0, 1);
        homes.run();
        TestConnection second = homes.goOn(2, connection, sent.get(0).sequence());
        assertThat(second).isNotNull();
        second.attachment().request(10);
        homes.insert(1, "new", 0, second);
        homes.run();
        assertThat(second.payloads()).containsExactly("behind", "new");
        long last = second.take().get(0).sequence();

        homes.move(led0, 0);
        homes.run();
        TestConnection third = homes.goOn(2, second, last);
        assertThat(third).isNotNull();
        third.attachment().request(10);
        homes.insert(1, "newest", 0, third);
        homes.run();
        assertThat(third.payloads()).containsExactly("newest");
    }

    @Test
    void aConnectionGoesOnWhenItsHomeIsHandedOverToAnotherNode() {
        TestConnection connection = homes.attach(2, led0);
        connection.attachment().request(3);
        for (int i = 0; i < 6; i++) {
            homes.await(homes.insert(1, "m" + i, 1 + i % 2, connection));
        }
        homes.run();
        assertThat(connection.payloads()).containsExactly("m0", "m1", "m2");
        List<InboxMessage> sent = connection.take();
        connection.attachment().acknowledge(new long[] {sent.get(0).sequence()});
        homes.move(led0, 1);
        homes.run();
        assertThat(connection.ends).containsExactly(InboxListener.Reason.MOVED);

        TestConnection next = homes.goOn(
                2,
                connection,
                sent.get(2).sequence(),
                sent.get(1).sequence(),
                sent.get(2).sequence());
        assertThat(next).isNotNull();
        assertThat(homes.goOn(1, connection, 0)).as("a second time").isNull();
        next.attachment().request(10);
        homes.await(homes.insert(0, "m6", 1, connection));
        homes.run();
        assertThat(next.payloads()).containsExactly("m3", "m4", "m5", "m6");
        homes.await(next.attachment().received(sent.get(1).sequence()));
        next.attachment().complete(sent.get(1).sequence());
        homes.await(next.attachment().detach(-1, false));

        TestConnection resumed = homes.attach(0, led0);
        resumed.attachment().request(10);
        homes.run();
        assertThat(resumed.payloads()).as("unanswered").containsExactly("m2", "m3", "m4", "m5", "m6");
        assertThat(resumed.delivered.get(0).packetId()).isEqualTo(sent.get(2).packetId());
        assertThat(resumed.delivered.get(0).redelivered()).isTrue();
        assertThat(homes.wills).isEmpty();
    }

    /** Several calls and messages are under way when the home is handed over: nothing fails and nothing is lost. */
    @Test
    void whatIsUnderWayWhenAHomeIsHandedOverIsDoneOnce() {
        TestConnection connection = homes.attach(2, led0);
        connection.attachment().request(100);
        List<CompletableFuture<List<InsertOutcome>>> answers = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            answers.add(homes.insert(2, "m" + i, 2, connection));
            if (i == 10) {
                homes.move(led0, 1);
            }
            if (i == 20) {
                homes.move(led0, 2);
            }
            for (int steps = 0; steps < 5; steps++) {
                homes.host.runOne();
            }
        }
        answers.forEach(homes::await);
        homes.advance(1000);
        homes.run();
        TestConnection next = homes.goOn(
                2,
                connection,
                connection.delivered.stream()
                        .mapToLong(InboxMessage::sequence)
                        .max()
                        .orElse(0),
                connection.delivered.stream().mapToLong(InboxMessage::sequence).toArray());
        List<String> all = new ArrayList<>(connection.payloads());
        if (next != null) {
            next.attachment().request(100);
            homes.run();
            all.addAll(next.payloads());
        }
        assertThat(all).hasSize(30).doesNotHaveDuplicates();
        for (int i = 0; i < 30; i++) {
            assertThat(all.get(i)).isEqualTo("m" + i);
        }
    }

    @Test
    void aDeadEdgesWillGoesOutOnce() {
        homes.attach(2, led0, new Will(homes.message("gone", 1), 0));
        homes.net.kill(InMemoryNode.id(2));
        homes.advance(100);
        assertThat(homes.wills).containsExactly("t");
        homes.move(led0, 1);
        homes.advance(30_000);
        assertThat(homes.wills).hasSize(1);
    }

    @Test
    void attachmentsEndWithTheLinkAndWhatMayBeDoneTwiceIsSentAgain() {
        TestConnection connection = homes.attach(2, led0);
        CompletableFuture<Void> received = connection.attachment().received(1);
        CompletableFuture<List<InsertOutcome>> insert = homes.insert(2, "x", 1, connection);
        CompletableFuture<List<InsertOutcome>> behind = homes.insert(2, "y", 1, connection);
        CompletableFuture<List<InsertOutcome>> atMostOnce = homes.insert(2, "z", 0, connection);
        CompletableFuture<SessionOwner> owner = homes.client(2).owner(InboxFixture.info(led0));
        homes.net.end(InMemoryNode.id(0), InMemoryNode.id(2), "for the test");
        assertThat(causeOf(received)).as("its connection asks again").isEqualTo(RangeException.Cause.LOST);
        assertThat(causeOf(atMostOnce)).as("it may be stored").isEqualTo(RangeException.Cause.LOST);
        assertThat(insert).isNotDone();
        assertThat(connection.ends).containsExactly(InboxListener.Reason.LOST);
        assertThat(owner).as("may be asked again").isNotDone();
        homes.net.link(InMemoryNode.id(0), InMemoryNode.id(2));
        assertThat(homes.await(owner)).isEqualTo(SessionOwner.SAME_USER);
        assertThat(homes.await(insert)).containsExactly(InsertOutcome.STORED);
        assertThat(homes.await(behind)).containsExactly(InsertOutcome.STORED);
    }

    @Test
    void aDeletionIsAskedAgainUnlessItsConnectionHasEnded() {
        homes.attach(1, led0);
        AtomicBoolean isGone = new AtomicBoolean();
        CompletableFuture<Boolean> stays = homes.client(2).delete(TenantId.DEFAULT, new ClientId(led0), Resend.ALWAYS);
        CompletableFuture<Boolean> ends = homes.client(2).delete(TenantId.DEFAULT, new ClientId(led0), isGone::get);
        homes.net.end(InMemoryNode.id(0), InMemoryNode.id(2), "for the test");
        isGone.set(true);
        homes.net.link(InMemoryNode.id(0), InMemoryNode.id(2));
        assertThat(homes.await(stays)).isTrue();
        homes.attach(1, led0);
        homes.advance(1000);
        assertThat(causeOf(ends)).isEqualTo(RangeException.Cause.CLOSED);
        assertThat(homes.await(homes.client(1).owner(InboxFixture.info(led0)))).isEqualTo(SessionOwner.SAME_USER);
    }

    /** The client may have published later messages through another node by then. */
    @Test
    void whatALostHomeHadIsNotSentAgainWhenThePublisherHasGone() {
        TestConnection connection = homes.attach(1, led0);
        connection.attachment().request(10);
        AtomicBoolean isGone = new AtomicBoolean();
        CompletableFuture<List<InsertOutcome>> sent = homes.insertFrom(isGone::get, 2, "sent", connection);
        homes.net.end(InMemoryNode.id(0), InMemoryNode.id(2), "for the test");
        CompletableFuture<List<InsertOutcome>> waiting = homes.insertFrom(isGone::get, 2, "waiting", connection);
        CompletableFuture<List<InsertOutcome>> other = homes.insert(2, "other", 1, connection);
        homes.run();
        isGone.set(true);
        homes.await(homes.insert(1, "later", 1, connection));
        homes.net.link(InMemoryNode.id(0), InMemoryNode.id(2));
        assertThat(homes.await(other)).containsExactly(InsertOutcome.STORED);
        assertThat(causeOf(sent)).isEqualTo(RangeException.Cause.CLOSED);
        assertThat(causeOf(waiting)).isEqualTo(RangeException.Cause.CLOSED);
        homes.run();
        assertThat(connection.payloads()).containsExactly("later", "other");
        assertThat(homes.nodes.get(2).peers.waitingBytes()).isZero();
    }

    /** Of a node that the others may have gone on without: a member of a shared group that it has chosen. */
    @Test
    void whatMayNotBeSentNowWaitsAndWhatComesBehindIt() {
        TestConnection connection = homes.attach(1, led0);
        connection.attachment().request(10);
        AtomicBoolean mustWait = new AtomicBoolean();
        Resend whenProved = new Resend() {
            @Override
            public boolean isAbandoned() {
                return false;
            }

            @Override
            public boolean mustWait() {
                return mustWait.get();
            }
        };
        CompletableFuture<List<InsertOutcome>> lost = homes.insertFrom(whenProved, 2, "lost", connection);
        homes.net.end(InMemoryNode.id(0), InMemoryNode.id(2), "for the test");
        mustWait.set(true);
        homes.net.link(InMemoryNode.id(0), InMemoryNode.id(2));
        CompletableFuture<List<InsertOutcome>> behind = homes.insert(2, "behind", 1, connection);
        homes.advance(1000);
        assertThat(lost).isNotDone();
        assertThat(behind).isNotDone();
        mustWait.set(false);
        assertThat(homes.await(lost)).containsExactly(InsertOutcome.STORED);
        assertThat(homes.await(behind)).containsExactly(InsertOutcome.STORED);
        homes.run();
        assertThat(connection.payloads()).containsExactly("lost", "behind");
    }

    @Test
    void withoutALeaderCommandsWaitAndThenFailInOrder() {
        TestConnection connection = homes.attach(2, led0);
        homes.net.kill(InMemoryNode.id(0));
        homes.host.killNode(0, 0);
        CompletableFuture<List<InsertOutcome>> first = homes.insert(2, "first", 1, connection);
        homes.advance(10_000);
        CompletableFuture<List<InsertOutcome>> second = homes.insert(2, "second", 1, connection);
        assertThat(first).isNotDone();
        homes.advance(10_100);
        assertThat(causeOf(first)).isEqualTo(RangeException.Cause.TIMEOUT);
        assertThat(second).isNotDone();
        assertThat(homes.waitsOver("home")).isOne();
        assertThat(homes.events)
                .containsExactly(new BrokerEvent.WaitRanOut(
                        NodeWait.HOME,
                        Duration.ofMillis(HomeSettings.DEFAULT.waitMillis()),
                        "inbox of " + led0 + ", no node is known to lead it"));
        homes.host.elect(1);
        assertThat(homes.await(second)).containsExactly(InsertOutcome.STORED);
        assertThat(homes.nodes.get(2).peers.waitingBytes()).isZero();
    }

    /** Their clients connect again in the same moment. */
    @Test
    void theWillsOfADeadNodesClientsGoOutOneAfterTheOther() {
        int clients = 3 * HomesFixture.WILLS_PER_SECOND;
        Will will = new Will(homes.message("gone", 1), 0);
        for (int i = 0; i < clients; i++) {
            homes.attach(0, homes.idLedBy(0, "will" + i + "-"), will);
        }
        homes.net.kill(InMemoryNode.id(0));
        homes.host.killNode(0, 0);
        homes.host.elect(1);
        homes.advance(HomesFixture.ATTACHED_WAIT_MILLIS - 10);
        assertThat(homes.wills).isEmpty();
        for (int second = 1; second <= 3; second++) {
            homes.advance(1_000);
            int due = second * HomesFixture.WILLS_PER_SECOND;
            assertThat(homes.wills.size()).isBetween(due - 5, due + 1);
        }
        homes.advance(1_000);
        assertThat(homes.wills).hasSize(clients);
    }

    /** One that has its turn behind others may still be continued. */
    @Test
    void aConnectionThatComesWhileItsWillWaitsGoesOn() {
        Will will = new Will(homes.message("gone", 1), 0);
        List<TestConnection> connections = new ArrayList<>();
        for (int i = 0; i < HomesFixture.WILLS_PER_SECOND; i++) {
            connections.add(homes.attach(2, homes.idLedBy(0, "will" + i + "-"), will));
        }
        homes.net.kill(InMemoryNode.id(0));
        homes.host.killNode(0, 0);
        homes.host.elect(1);
        homes.advance(HomesFixture.ATTACHED_WAIT_MILLIS + 200);
        int gone = homes.wills.size();
        assertThat(gone).isBetween(1, 50);
        long continued = connections.stream()
                .filter(connection -> homes.goOn(2, connection, 0) != null)
                .count();
        homes.advance(10_000);
        assertThat(homes.wills.size() + continued).isEqualTo(connections.size());
        assertThat(continued).isPositive();
    }

    @Test
    void theHomeDiesAndTheConnectionGoesOnAtTheNext() {
        TestConnection connection = homes.attach(2, led0, new Will(homes.message("gone", 1), 0));
        connection.attachment().request(2);
        for (int i = 0; i < 4; i++) {
            homes.await(homes.insert(1, "m" + i, 2, connection));
        }
        homes.run();
        List<InboxMessage> sent = connection.take();
        assertThat(sent).hasSize(2);
        homes.net.kill(InMemoryNode.id(0));
        homes.host.killNode(0, 0);
        homes.host.elect(1);
        homes.advance(3_000);
        assertThat(homes.wills).isEmpty();
        TestConnection next = homes.goOn(
                2,
                connection,
                sent.get(1).sequence(),
                sent.get(0).sequence(),
                sent.get(1).sequence());
        assertThat(next).isNotNull();
        next.attachment().request(10);
        homes.run();
        assertThat(next.payloads()).as("none twice").containsExactly("m2", "m3");
        homes.await(next.attachment().received(sent.get(0).sequence()));
        homes.advance(30_000);
        assertThat(homes.wills).as("it is connected").isEmpty();
    }

    /** The first home had carried it out, and the link is lost before it can say so. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aConnectThatIsAskedAgainTakesNothingOverFromItself(boolean cleanStart) {
        homes.net.cut(InMemoryNode.id(0), InMemoryNode.id(2));
        Will will = new Will(homes.message("gone", 1), 0);
        CompletableFuture<AttachReply> reply = homes.client(2)
                .attach(new AttachRequest(InboxFixture.info(led0), cleanStart, 60, will), new TestConnection());
        homes.run();
        homes.move(led0, 1);
        homes.net.end(InMemoryNode.id(0), InMemoryNode.id(2), "for the test");
        AttachReply attached = homes.await(reply);
        assertThat(attached.sessionPresent()).isFalse();
        homes.run();
        assertThat(homes.wills).isEmpty();
        homes.await(attached.attachment().detach(-1, true));
        homes.run();
        assertThat(homes.wills).hasSize(1);
    }

    /** Both nodes are well; the end of the attachment waits in the lane until the link is over. */
    @Test
    void aConnectionWhoseNodeLosesOnlyItsHomeGoesOnAtTheNextWhenTheLinkIsOver() {
        TestConnection connection = homes.attach(2, led0, new Will(homes.message("gone", 1), 0));
        homes.net.cut(InMemoryNode.id(0), InMemoryNode.id(2));
        homes.net.cut(InMemoryNode.id(2), InMemoryNode.id(0));
        homes.advance(1000);
        homes.move(led0, 1);
        homes.advance(LinkSettings.of("test").silence().toMillis());
        assertThat(connection.ends).isEmpty();
        homes.net.end(InMemoryNode.id(0), InMemoryNode.id(2), "silence");
        homes.run();
        assertThat(connection.ends).containsExactly(InboxListener.Reason.LOST);
        assertThat(homes.goOn(2, connection, 0)).isNotNull();
        assertThat(homes.wills).isEmpty();
    }

    @Test
    void aConnectionThatDoesNotComeToTheNextHomeIsLostAfterAWhile() {
        TestConnection connection = homes.attach(2, led0, new Will(homes.message("gone", 1), 0));
        homes.net.kill(InMemoryNode.id(0));
        homes.host.killNode(0, 0);
        homes.host.elect(1);
        homes.advance(HomesFixture.ATTACHED_WAIT_MILLIS - 1000);
        assertThat(homes.wills).isEmpty();
        homes.advance(2000);
        assertThat(homes.wills).containsExactly("t");
        assertThat(homes.waitsOver("connection")).isOne();
        assertThat(homes.events)
                .contains(new BrokerEvent.WaitRanOut(
                        NodeWait.CONNECTION,
                        Duration.ofMillis(HomesFixture.ATTACHED_WAIT_MILLIS),
                        "connection of " + led0));
        assertThat(homes.goOn(2, connection, 0)).isNull();
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
        assertThat(homes.await(first)).as("asked of the next home").containsExactly(InsertOutcome.STORED);
        assertThat(homes.await(second)).containsExactly(InsertOutcome.STORED);
    }

    /** A group would choose another of its members, and two would have the message. */
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
        assertThat(homes.await(known)).as("asked of the next home").containsExactly(InsertOutcome.ALREADY_THERE);
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
        homes.host.holdSeals(); // its log has not taken what it has accepted: then it is sent to the next home
        CompletableFuture<List<InsertOutcome>> answer = homes.insert(2, "fits", 1, absent);
        homes.run();
        assertThat(answer).isNotDone();
        homes.host.tellDeposed(0);
        homes.host.releaseSeals();
        homes.nodes.get(2).believes = null;
        assertThat(homes.await(answer)).containsExactly(InsertOutcome.STORED);
    }

    /** It was edge and home of the client, as after kill -9. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aDeadNodesWillIsPublishedOnceAfterItsDelayUnlessTheClientIsServedElsewhere(boolean comesBack) {
        homes.attach(0, led0, new Will(homes.message("gone", 1), 60));
        homes.net.kill(InMemoryNode.id(0));
        homes.host.killNode(0, 0);
        homes.host.elect(1);
        homes.advance(HomesFixture.ATTACHED_WAIT_MILLIS + 1_000);
        homes.move(led0, 2);
        homes.advance(50_000);
        assertThat(homes.wills).as("its delay is not over").isEmpty();
        if (comesBack) {
            homes.attach(1, led0);
        }
        homes.advance(15_000);
        assertThat(homes.wills).hasSize(comesBack ? 0 : 1);
        homes.move(led0, 1);
        homes.advance(100_000);
        assertThat(homes.wills).hasSize(comesBack ? 0 : 1);
    }

    /** What it had left for the next leader on its own node is of a time before another node led. */
    @Test
    void aHomeThatLeadsAgainGivesOutNothingThatIsOlderThanWhatAnotherHasGiven() {
        TestConnection first = homes.attach(2, led0);
        homes.run();
        homes.await(homes.insert(1, "old", 0, first)); // waits for credit, in memory only
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

    /** A home could not write how a connection has ended, and leads again after another one has come elsewhere. */
    @Test
    void howAnEarlierConnectionHasEndedIsNotTakenForTheEndOfALaterOne() {
        TestConnection earlier = homes.attach(2, led0, new Will(homes.message("gone", 1), 60));
        homes.host.failWrites(RangeException.Cause.OVERLOADED);
        homes.host.holdReads(); // nobody loads the inbox meanwhile
        CompletableFuture<Void> detached = earlier.attachment().detach(0, false);
        homes.run();
        assertThat(detached).isCompletedExceptionally();
        homes.host.acceptWrites();
        homes.host.releaseReads();
        homes.move(led0, 1);
        homes.host.runUntilIdle();
        TestConnection later = homes.attach(1, led0, new Will(homes.message("gone", 1), 60));
        assertThat(later.reply.sessionPresent()).isTrue();
        homes.await(homes.insert(1, "kept", 1, later));
        homes.move(led0, 0);
        homes.run();
        TestConnection next = homes.goOn(1, later, 0);
        assertThat(next).isNotNull();
        next.attachment().request(10);
        homes.run();
        assertThat(next.payloads()).containsExactly("kept");
    }

    /** Its end by another connection was not told, since the home died. */
    @Test
    void anEarlierConnectionDoesNotGoOnInPlaceOfALaterOne() {
        TestConnection earlier = homes.attach(2, led0);
        homes.net.cut(InMemoryNode.id(0), InMemoryNode.id(2));
        TestConnection later = homes.attach(1, led0);
        assertThat(later.reply.incarnation()).isEqualTo(earlier.reply.incarnation());
        homes.net.kill(InMemoryNode.id(0));
        homes.host.killNode(0, 0);
        homes.host.elect(1);
        assertThat(homes.goOn(2, earlier, 0)).isNull();
        assertThat(homes.goOn(1, later, 0)).isNotNull();
    }

    @Test
    void aFullLinkDropsQos0AndCountsItAndHoldsTheRest() {
        TestConnection connection = homes.attach(2, led0);
        connection.attachment().request(10);
        homes.run();
        homes.nodes.get(0).links.window(0);
        homes.insert(0, "lost", 0, connection);
        homes.await(homes.insert(0, "kept", 1, connection));
        homes.advance(50);
        assertThat(connection.payloads()).isEmpty();
        assertThat(homes.nodes.get(0).peers.heldBytes()).isPositive();
        homes.nodes.get(0).links.window(10);
        homes.advance(50);
        assertThat(connection.payloads()).containsExactly("kept");
        assertThat(homes.nodes.get(0).peers.heldBytes()).isZero();
        assertThat(homes.meters
                        .get("godwit.inbox.dropped")
                        .tag("reason", "slow_consumer")
                        .counter()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void aMessageWaitsForRoomOnTheLink() {
        TestConnection connection = homes.attach(2, led0);
        homes.nodes.get(2).links.window(0);
        CompletableFuture<List<InsertOutcome>> answer = homes.insert(2, "x", 1, connection);
        homes.advance(100);
        assertThat(answer).isNotDone();
        homes.nodes.get(2).links.window(100);
        assertThat(homes.await(answer)).containsExactly(InsertOutcome.STORED);
    }

    @Test
    void whatWaitsIsBounded() {
        TestConnection connection = homes.attach(2, led0);
        homes.net.kill(InMemoryNode.id(0));
        homes.host.killNode(0, 0);
        String large = "x".repeat(8 << 20);
        List<CompletableFuture<List<InsertOutcome>>> answers = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            answers.add(homes.insert(2, large, 1, connection));
        }
        assertThat(homes.nodes.get(2).peers.waitingBytes()).isLessThanOrEqualTo(64L << 20);
        assertThat(causeOf(answers.get(9))).isEqualTo(RangeException.Cause.OVERLOADED);
        assertThat(answers.get(0)).isNotDone();
    }

    /** More than one frame takes. */
    @Test
    void aMessageForVeryManyInboxesHasAnOutcomeForEach() {
        homes.nodes.get(2).links.maxFrameBytes(1 << 20);
        TestConnection first = homes.attach(2, led0);
        TestConnection last = homes.attach(2, led1);
        List<InsertRequest.Target> targets = new ArrayList<>();
        targets.add(InboxFixture.target(led0, first.reply.incarnation(), Qos.AT_LEAST_ONCE));
        for (int i = 0; i < 12_000; i++) {
            targets.add(InboxFixture.target("x".repeat(300) + i, 1, Qos.AT_LEAST_ONCE));
        }
        targets.add(InboxFixture.target(led1, last.reply.incarnation(), Qos.AT_LEAST_ONCE));
        List<InsertOutcome> outcomes =
                homes.await(homes.client(2).insert(InboxFixture.request(homes.message("m", 1), targets)));
        assertThat(outcomes).hasSize(targets.size());
        assertThat(outcomes.get(0)).isEqualTo(InsertOutcome.STORED);
        assertThat(outcomes.get(targets.size() - 1)).isEqualTo(InsertOutcome.STORED);
        assertThat(outcomes.subList(1, targets.size() - 1)).containsOnly(InsertOutcome.NO_SESSION);
    }

    /** No range stops for it. */
    @Test
    void aFrameThatCannotBeSentEndsTheLinkAlone() {
        homes.nodes.get(0).links.maxFrameBytes(16); // less than its answer, and than why it has none
        CompletableFuture<?> attach = homes.client(2)
                .attach(new AttachRequest(InboxFixture.info(led0), false, 60, null), new TestConnection());
        homes.run();
        assertThat(homes.nodes.get(2).links.peer(InMemoryNode.id(0))).isNull();
        assertThat(attach).as("it looks for the next home").isNotDone();
        homes.advance(20_100);
        assertThat(causeOf(attach)).isEqualTo(RangeException.Cause.TIMEOUT);
        assertThat(homes.attach(0, led0).reply).isNotNull();
    }
}
