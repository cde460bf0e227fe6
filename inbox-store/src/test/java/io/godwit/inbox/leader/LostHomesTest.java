package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.link.LinkSettings;
import io.godwit.conformance.Clause;
import io.godwit.inbox.carrier.home.HomeSettings;
import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.client.ReplayOutcome;
import io.godwit.inbox.client.ReplayStep;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.client.Will;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RequestOrder;
import io.godwit.kv.client.Resend;
import io.godwit.kv.testing.InMemoryNode;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.NodeWait;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections, wills and messages when the node of a home or of an edge is lost, or the link between them. */
@Tag("in-process")
class LostHomesTest extends ThreeHomes {
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

    /** The client may have published later messages at another node by then. */
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

    /** The publisher got no answer: it sends both again, in order. */
    @Test
    @Clause("MQTT5-4.6.0-5")
    void whatAnEndedConnectionSentBehindAFailedMessageIsNotSent() {
        TestConnection connection = homes.attach(1, led0);
        connection.attachment().request(10);
        EndingConnection publisher = new EndingConnection();
        homes.nodes.get(2).believes = 1; // which refuses
        CompletableFuture<List<InsertOutcome>> first = homes.insertFrom(publisher, 2, "first", connection);
        homes.run();
        publisher.hasEnded = true;
        homes.nodes.get(2).believes = null;
        homes.advance(1_000);
        assertThat(causeOf(first)).isEqualTo(RangeException.Cause.CLOSED);
        CompletableFuture<List<InsertOutcome>> second = homes.insertFrom(publisher, 2, "second", connection);
        homes.run();
        assertThat(causeOf(second)).isEqualTo(RangeException.Cause.CLOSED);
        assertThat(connection.payloads()).isEmpty();
    }

    /** Like the frontend's. */
    private static final class EndingConnection implements Resend {
        private boolean hasEnded;
        private boolean hasFailed;

        @Override
        public boolean isAbandoned() {
            return hasEnded;
        }

        @Override
        public void failed() {
            hasFailed = true;
        }

        @Override
        public boolean mayNotBegin() {
            return hasEnded && hasFailed;
        }
    }

    /**
     * The edge of a publisher is lost while the home of the receiver waits for its log. The node that continues for the
     * publisher distributes those messages again, and then later ones.
     */
    @Test
    @Clause("MQTT5-4.6.0-5")
    void laterMessagesDoNotPassThoseThatALostEdgeHadUnderWay() {
        TestConnection connection = homes.attach(1, led0);
        connection.attachment().request(10);
        homes.host.holdSeals();
        Distribution lost = new Distribution(2, connection);
        CompletableFuture<List<InsertOutcome>> first = lost.insert(1);
        CompletableFuture<List<InsertOutcome>> second = lost.insert(2);
        homes.run();
        homes.net.end(InMemoryNode.id(0), InMemoryNode.id(2), "for the test");
        Distribution next = new Distribution(1, connection);
        List<CompletableFuture<List<InsertOutcome>>> repeats = List.of(next.insert(1), next.insert(2), next.insert(3));
        homes.run();
        homes.host.releaseSeals();
        homes.run();
        assertThat(repeats).allSatisfy(each -> assertThat(each).isCompletedExceptionally());
        Distribution last = new Distribution(1, connection);
        for (int number = 1; number <= 3; number++) {
            assertThat(homes.await(last.insert(number))).containsExactly(InsertOutcome.STORED);
        }
        homes.run();
        assertThat(connection.payloads()).containsExactly("1", "2", "3");
        homes.net.link(InMemoryNode.id(0), InMemoryNode.id(2));
        assertThat(homes.await(first)).containsExactly(InsertOutcome.ALREADY_THERE);
        assertThat(homes.await(second)).containsExactly(InsertOutcome.ALREADY_THERE);
        homes.run();
        assertThat(connection.payloads()).containsExactly("1", "2", "3");
    }

    /** The messages of one publisher that one node has under way together, by their tokens. */
    private final class Distribution {
        private final RequestOrder order = new RequestOrder();
        private final int node;
        private final TestConnection receiver;

        Distribution(int node, TestConnection receiver) {
            this.node = node;
            this.receiver = receiver;
        }

        CompletableFuture<List<InsertOutcome>> insert(long number) {
            InsertRequest request = homes.request(Long.toString(number), 2, receiver);
            return homes.client(node)
                    .insert(new InsertRequest(
                            request.tenant(),
                            request.message(),
                            request.targets(),
                            "origin",
                            number,
                            1,
                            false,
                            order,
                            Resend.ALWAYS));
        }
    }

    /** From a node that the others may have excluded: it had chosen a member of a shared group. */
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

    /** Its leadership could not be handed over, and its log still works when its links are closed. */
    @Test
    void connectionsContinueAfterTheirHomeHasStoppedAsALeader() {
        TestConnection connection = homes.attach(2, led0, new Will(homes.message("gone", 1), 0));
        homes.nodes.get(0).peers.close();
        homes.net.end(InMemoryNode.id(0), InMemoryNode.id(1), "the node's links are closed");
        homes.net.end(InMemoryNode.id(0), InMemoryNode.id(2), "the node's links are closed");
        homes.advance(100);
        homes.host.killNode(0, 0);
        homes.host.elect(1);
        TestConnection next = Objects.requireNonNull(homes.goOn(2, connection, 0));
        next.attachment().request(10);
        homes.await(homes.insert(1, "later", 1, next));
        homes.run();
        assertThat(next.payloads()).containsExactly("later");
        homes.advance(2 * HomesFixture.ATTACHED_WAIT_MILLIS);
        assertThat(homes.wills).isEmpty();
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

    /** Their clients connect again at the same moment. */
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

    /** A connection whose will waits behind others may still continue. */
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
        assertThat(next.payloads()).as("no message is delivered twice").containsExactly("m2", "m3");
        homes.await(next.attachment().received(sent.get(0).sequence()));
        homes.advance(30_000);
        assertThat(homes.wills).as("no will, because the client is connected").isEmpty();
    }

    /** The first home had carried it out, but the link is lost before it could answer. */
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
        assertThat(homes.wills).as("no will, because its delay is not over").isEmpty();
        if (comesBack) {
            homes.attach(1, led0);
        }
        homes.advance(15_000);
        assertThat(homes.wills).hasSize(comesBack ? 0 : 1);
        homes.move(led0, 1);
        homes.advance(100_000);
        assertThat(homes.wills).hasSize(comesBack ? 0 : 1);
    }

    /**
     * A home could not write how a connection has ended, and leads again after another connection was made elsewhere.
     */
    @Test
    void howAnEarlierConnectionHasEndedIsNotTakenForTheEndOfALaterOne() {
        TestConnection earlier = homes.attach(2, led0, new Will(homes.message("gone", 1), 60));
        homes.host.failWrites(RangeException.Cause.OVERLOADED);
        homes.host.holdReads(); // so that no load happens meanwhile
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

    /** Its end by another connection was not reported, because the home died. */
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

    /** The step is committed, and its home dies before it could answer: the next home knows the step. */
    @Test
    void aRetainedMessageThatALostHomeHadTakenIsKnownAtTheNext() {
        TestConnection connection = homes.attach(2, led0);
        connection.attachment().request(10);
        TopicFilter filter = new TopicFilter(null, "r/#");
        StoredSubscription subscription = new StoredSubscription(filter, Qos.AT_LEAST_ONCE, false, false, 0, 0);
        homes.await(connection.attachment().subscribe(List.of(subscription)));
        homes.net.cut(InMemoryNode.id(0), InMemoryNode.id(2));
        List<ReplayStep> steps = List.of(
                step(filter, StoredSubscription.ALL_RETAINED, "r/1"),
                step(filter, "r/1", "r/2"),
                step(filter, "r/2", "r/3"));
        List<CompletableFuture<ReplayOutcome>> lost = steps.subList(0, 2).stream()
                .map(step -> connection.attachment().replay(step))
                .toList();
        homes.run();
        homes.net.kill(InMemoryNode.id(0));
        homes.host.killNode(0, 0);
        homes.host.elect(1);
        homes.advance(100);
        lost.forEach(answer -> assertThat(causeOf(answer)).isEqualTo(RangeException.Cause.LOST));

        TestConnection next = homes.goOn(2, connection, 0);
        assertThat(next).isNotNull();
        next.attachment().request(10);
        List<ReplayOutcome> outcomes = steps.stream()
                .map(step -> homes.await(next.attachment().replay(step)))
                .toList();
        assertThat(outcomes).containsExactly(ReplayOutcome.BEHIND, ReplayOutcome.OUTDATED, ReplayOutcome.STORED);
        homes.run();
        assertThat(next.payloads()).as("each message is delivered once").containsExactly("r/1", "r/2", "r/3");
    }

    private ReplayStep step(TopicFilter filter, String from, String to) {
        return new ReplayStep(filter, from, to, homes.message(to, 1), Qos.AT_LEAST_ONCE, new int[0]);
    }
}
