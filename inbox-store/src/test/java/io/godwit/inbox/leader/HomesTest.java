package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.client.SessionOwner;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.Resend;
import io.godwit.kv.testing.InMemoryNode;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.SessionEndCause;
import io.godwit.plugin.message.Qos;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Sessions of three nodes, used from nodes that do not lead them. */
@Tag("in-process")
class HomesTest extends ThreeHomes {
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
        assertThat(homes.events)
                .contains(new BrokerEvent.SessionEnded(TenantId.DEFAULT, new ClientId(led0), SessionEndCause.DELETED));
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

    /**
     * The sender takes another node for the leader for a while; that node refuses the commands, and they arrive in
     * order.
     */
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
        assertThat(connection.payloads()).isEmpty(); // told to continue elsewhere
        TestConnection next = homes.goOn(2, connection, 0);
        assertThat(next).isNotNull();
        next.attachment().request(100);
        homes.run();
        assertThat(next.payloads()).hasSize(20);
        for (int i = 0; i < 20; i++) {
            assertThat(next.payloads().get(i)).isEqualTo("m" + i);
        }
    }

    /** Commands of an attachment have no round: this one comes after a refusal that is older than the attachment. */
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

    /** Messages that waited at the first leader are older than those that the client got from the second. */
    @Test
    void whatALeaderLeftInMemoryIsGivenUpWhenAnotherNodeHasLedMeanwhile() {
        TestConnection connection = homes.attach(2, led0);
        connection.attachment().request(1);
        homes.await(homes.insert(1, "sent", 1, connection));
        homes.await(homes.insert(1, "behind", 1, connection));
        homes.insert(1, "old", 0, connection); // is placed behind one for which the client has no credit
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
        assertThat(homes.goOn(1, connection, 0))
                .as("a connection cannot be continued twice")
                .isNull();
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
        assertThat(resumed.payloads())
                .as("messages that the client has not answered")
                .containsExactly("m2", "m3", "m4", "m5", "m6");
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
    void attachmentsEndWithTheLinkAndWhatMayBeDoneTwiceIsSentAgain() {
        TestConnection connection = homes.attach(2, led0);
        CompletableFuture<Void> received = connection.attachment().received(1);
        CompletableFuture<List<InsertOutcome>> insert = homes.insert(2, "x", 1, connection);
        CompletableFuture<List<InsertOutcome>> behind = homes.insert(2, "y", 1, connection);
        CompletableFuture<List<InsertOutcome>> atMostOnce = homes.insert(2, "z", 0, connection);
        CompletableFuture<SessionOwner> owner = homes.client(2).owner(InboxFixture.info(led0));
        homes.net.end(InMemoryNode.id(0), InMemoryNode.id(2), "for the test");
        assertThat(causeOf(received))
                .as("the connection repeats this call itself")
                .isEqualTo(RangeException.Cause.LOST);
        assertThat(causeOf(atMostOnce)).as("the message may be stored").isEqualTo(RangeException.Cause.LOST);
        assertThat(insert).isNotDone();
        assertThat(connection.ends).containsExactly(InboxListener.Reason.LOST);
        assertThat(owner).as("the question is asked again").isNotDone();
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

    /** More than fit in one frame. */
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

    /** It stops no range. */
    @Test
    void aFrameThatCannotBeSentEndsTheLinkAlone() {
        homes.nodes.get(0).links.maxFrameBytes(16); // less than its answer, and less than its error
        CompletableFuture<?> attach = homes.client(2)
                .attach(new AttachRequest(InboxFixture.info(led0), false, 60, null), new TestConnection());
        homes.run();
        assertThat(homes.nodes.get(2).links.peer(InMemoryNode.id(0))).isNull();
        assertThat(attach).as("the edge waits for the next home").isNotDone();
        homes.advance(20_100);
        assertThat(causeOf(attach)).isEqualTo(RangeException.Cause.TIMEOUT);
        assertThat(homes.attach(0, led0).reply).isNotNull();
    }
}
