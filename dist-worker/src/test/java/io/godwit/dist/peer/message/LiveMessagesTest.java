package io.godwit.dist.peer.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.link.Peer;
import io.godwit.conformance.Clause;
import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.Publisher;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.dist.peer.TestNode;
import io.godwit.dist.peer.TwoNodes;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.event.NodeWait;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Messages for live subscribers on another node. */
class LiveMessagesTest extends TwoNodes {
    @Test
    void aMessageThatANodeDidNotConfirmBeforeItsEndIsAcknowledgedOnceTheNodeIsOut() {
        a.subscribe("t", "s");
        cluster.settle();
        CompletableFuture<DistOutcome> published = b.publish("t", Qos.AT_LEAST_ONCE, "1");
        assertThat(published).isNotDone();
        cluster.net.kill("a");
        assertThat(published).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(b.members.excluded).contains(a.life);
    }

    @Test
    void theReceivingNodeAppliesNoLocalOverlapsAndIdentifiers() {
        a.subscribe("t/+", "p", new SubscriptionOptions(Qos.AT_LEAST_ONCE, true, false, 1));
        a.subscribe("t/+", "q", new SubscriptionOptions(Qos.AT_MOST_ONCE, true, false, 7));
        a.subscribe("t/#", "q", new SubscriptionOptions(Qos.EXACTLY_ONCE, false, true, 9));
        cluster.settle();
        b.publish("t/1", Qos.AT_LEAST_ONCE, "x");
        cluster.settle();
        assertThat(a.live).hasSize(1);
        assertThat(a.live.get(0).matches()).singleElement().satisfies(match -> {
            assertThat(match.receiver().clientId().value()).isEqualTo("q");
            assertThat(match.qos()).isEqualTo(Qos.EXACTLY_ONCE);
            assertThat(match.retainAsPublished()).isTrue();
            assertThat(match.subscriptionIds()).containsExactlyInAnyOrder(7, 9);
        });
    }

    @Test
    void aTokenIsDeliveredOnceThroughWhicheverNode() {
        TestNode c = cluster.serving("c", 1);
        a.subscribe("t", "s");
        cluster.settle();
        DeliveryToken token = new DeliveryToken("o", 1, 0);
        b.publish("t", Qos.EXACTLY_ONCE, "1", token);
        cluster.settle();
        b.publish("t", Qos.EXACTLY_ONCE, "1", token);
        c.publish("t", Qos.EXACTLY_ONCE, "1", new DeliveryToken("o", 1, 0, true));
        cluster.settle();
        assertThat(a.received("s")).containsExactly("1");
    }

    /**
     * The store has begun to distribute a message of an ended connection, and stood still; the connection had not
     * finished it.
     */
    @Test
    void aCopyThatComesLateUnderAFinishedTokenIsGivenToNobody() {
        TestNode c = cluster.serving("c", 1);
        a.subscribe("t", "s");
        c.subscribe("t", "s2");
        cluster.settle();
        b.publish("t", Qos.EXACTLY_ONCE, "1", new DeliveryToken("o", 1, 0));
        cluster.settle();
        finish("o", 1);

        DeliveryToken resumed = new DeliveryToken("o", 1, 0, true);
        CompletableFuture<DistOutcome> late = c.publish("t", Qos.EXACTLY_ONCE, "1", resumed);
        cluster.settle();
        assertThat(late).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(a.received("s")).containsExactly("1");
        assertThat(c.received("s2")).containsExactly("1");
    }

    @Test
    void aFinishedTokenIsForgottenAfterAWhile() {
        a.subscribe("t", "s");
        cluster.settle();
        b.publish("t", Qos.EXACTLY_ONCE, "1", new DeliveryToken("o", 1, 0));
        cluster.settle();
        finish("o", 1);
        cluster.timers.advance(Duration.ofMinutes(2));
        cluster.settle();
        b.publish("t", Qos.EXACTLY_ONCE, "2", new DeliveryToken("o", 1, 0));
        cluster.settle();
        assertThat(a.received("s")).containsExactly("1", "2");
    }

    private void finish(String origin, long number) {
        b.client().finished(origin, number);
        cluster.timers.advance(PeerTokens.GATHER);
        cluster.settle();
    }

    @Test
    void qos0IsDroppedAtAFullLinkCountedAndReported() {
        a.subscribe("t", "s");
        cluster.settle();
        b.links.window(1);
        b.publish("t", Qos.AT_MOST_ONCE, "1");
        assertThat(b.publish("t", Qos.AT_MOST_ONCE, "2")).isCompletedWithValue(DistOutcome.DELIVERED);
        CompletableFuture<DistOutcome> kept = b.publish("t", Qos.AT_LEAST_ONCE, "3");
        cluster.settle();
        cluster.timers.advance(HeldMessages.LOOK);
        cluster.settle();
        assertThat(kept).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(a.received("s")).containsExactly("1", "3");
        assertThat(b.count("godwit.dist.peer.dropped")).isEqualTo(1);
        assertThat(b.events).singleElement().isInstanceOfSatisfying(BrokerEvent.MessageDropped.class, dropped -> {
            assertThat(dropped.reason()).isEqualTo(DropReason.LINK_FULL);
            assertThat(dropped.receiver().value()).isEqualTo("a");
        });
    }

    private static CompletableFuture<DistOutcome> publish(TestNode at, String clientId, Qos qos, String payload) {
        return at.publisher(clientId).publish(TestNode.message("t", qos, payload), null);
    }

    private static List<String> names(List<String> payloads) {
        return payloads.stream().map(payload -> payload.substring(0, 2)).toList();
    }

    @Test
    void aLargeMessageIsPassedByThoseOfOtherPublishersAndNotByItsOwn() {
        a.subscribe("t", "s");
        cluster.settle();
        cluster.net.holdLarge(true);
        String large = "x".repeat(Peer.PASSABLE_BYTES);
        CompletableFuture<DistOutcome> first = publish(b, "p", Qos.AT_LEAST_ONCE, "p1" + large);
        publish(b, "p", Qos.AT_MOST_ONCE, "p2");
        publish(b, "p", Qos.AT_LEAST_ONCE, "p3"); // by another connection of the client, like its will
        CompletableFuture<DistOutcome> other = publish(b, "q", Qos.AT_LEAST_ONCE, "q1");
        publish(b, "q", Qos.AT_MOST_ONCE, "q2" + large);
        publish(b, "q", Qos.AT_LEAST_ONCE, "q3");
        publish(b, "r", Qos.AT_MOST_ONCE, "r1");
        cluster.settle();
        assertThat(names(a.received("s"))).containsExactly("q1", "r1");
        assertThat(other).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(first).isNotDone();
        cluster.net.holdLarge(false);
        cluster.settle();
        assertThat(names(a.received("s"))).containsExactly("q1", "r1", "p1", "p2", "p3", "q2", "q3");
        assertThat(first).isCompletedWithValue(DistOutcome.DELIVERED);
    }

    /** Small ones continue, while the next large one and later messages of its publisher wait. */
    @Test
    void aLinkWithoutRoomForLargeMessagesHasRoomForSmallOnes() {
        a.subscribe("t", "s");
        cluster.settle();
        b.links.window(1);
        cluster.net.holdLarge(true);
        String large = "x".repeat(Peer.PASSABLE_BYTES);
        publish(b, "p", Qos.AT_LEAST_ONCE, "p1" + large);
        CompletableFuture<DistOutcome> second = publish(b, "q", Qos.AT_LEAST_ONCE, "q1" + large);
        CompletableFuture<DistOutcome> behind = publish(b, "q", Qos.AT_LEAST_ONCE, "q2");
        publish(b, "q", Qos.AT_MOST_ONCE, "q3"); // dropped
        publish(b, "r", Qos.AT_MOST_ONCE, "r1" + large); // dropped
        publish(b, "r", Qos.AT_MOST_ONCE, "r2");
        cluster.settle();
        publish(b, "r", Qos.AT_LEAST_ONCE, "r3");
        cluster.settle();
        cluster.timers.advance(HeldMessages.LOOK);
        assertThat(names(a.received("s"))).containsExactly("r2", "r3");
        assertThat(b.count("godwit.dist.peer.dropped")).isEqualTo(2);
        cluster.net.holdLarge(false);
        for (int i = 0; i < 3; i++) {
            cluster.settle();
            cluster.timers.advance(HeldMessages.LOOK);
        }
        cluster.settle();
        assertThat(names(a.received("s"))).containsExactly("r2", "r3", "p1", "q1", "q2");
        assertThat(second).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(behind).isCompletedWithValue(DistOutcome.DELIVERED);
    }

    /** That node has a smaller largest packet in its configuration. */
    @Test
    void whatANodeDoesNotAcceptIsRefusedToThePublisherAndTheLinkStays() {
        TestNode c = cluster.serving("c", 1);
        a.subscribe("t", "s");
        c.subscribe("t", "s");
        cluster.settle();
        a.links.acceptedBytes(1_000);
        String large = "x".repeat(1_000);
        CompletableFuture<DistOutcome> refused = b.publish("t", Qos.AT_LEAST_ONCE, large);
        assertThat(refused).isCompletedWithValue(DistOutcome.FAILED);
        assertThat(b.publish("t", Qos.AT_MOST_ONCE, large)).isCompletedWithValue(DistOutcome.DELIVERED);
        CompletableFuture<DistOutcome> small = b.publish("t", Qos.AT_LEAST_ONCE, "small");
        cluster.settle();
        assertThat(small).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(a.received("s")).containsExactly("small");
        assertThat(c.received("s")).containsExactly(large, large, "small");
        assertThat(b.count("godwit.dist.peer.too.large")).isEqualTo(2);
        assertThat(b.events).singleElement().isInstanceOfSatisfying(BrokerEvent.MessageDropped.class, dropped -> {
            assertThat(dropped.reason()).isEqualTo(DropReason.PACKET_TOO_LARGE);
            assertThat(dropped.receiver().value()).isEqualTo("a");
        });
    }

    /** During a rolling upgrade each node is sent frames of its own version. */
    @Test
    void nodesOfTwoReleasesGetAMessageInTheirVersions() {
        TestNode.Cluster mixed = new TestNode.Cluster();
        TestNode publishing = mixed.serving("publishing", 1);
        TestNode newer = mixed.serving("newer", 1);
        TestNode older = mixed.serving("older", 1);
        publishing.links.version(2);
        newer.links.version(2);
        newer.subscribe("t", "s");
        older.subscribe("t", "s");
        mixed.settle();
        CompletableFuture<DistOutcome> published = publishing.publish("t", Qos.AT_LEAST_ONCE, "1");
        mixed.settle();
        assertThat(published).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(newer.received("s")).containsExactly("1");
        assertThat(older.received("s")).containsExactly("1");
        assertThat(Objects.requireNonNull(publishing.links.peer("newer")).version())
                .isEqualTo(2);
        assertThat(Objects.requireNonNull(publishing.links.peer("older")).version())
                .isEqualTo(1);
    }

    /** The limit of unacknowledged messages does not count client ids, which each frame contains. */
    @Test
    void aFullLinkIsNotFilledAnyFurtherAndItsPeerStays() {
        a.subscribe("t", "s");
        cluster.settle();
        b.links.window(4);
        b.links.bound(8);
        Publisher publisher = b.publisher("p".repeat(60_000));
        List<CompletableFuture<DistOutcome>> outcomes = new ArrayList<>();
        List<String> payloads = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            payloads.add(String.valueOf(i));
            outcomes.add(publisher.publish(
                    TestNode.message("t", i % 2 == 0 ? Qos.AT_LEAST_ONCE : Qos.EXACTLY_ONCE, payloads.get(i)), null));
        }
        assertThat(b.links.peers()).hasSize(1);
        assertThat(b.meters.get("godwit.dist.peer.held.bytes").gauge().value()).isPositive();
        for (int look = 0; look < 500; look++) {
            cluster.settle();
            cluster.timers.advance(HeldMessages.LOOK);
        }
        assertThat(a.received("s")).containsExactlyElementsOf(payloads);
        assertThat(outcomes).allSatisfy(outcome -> assertThat(outcome).isCompletedWithValue(DistOutcome.DELIVERED));
        assertThat(b.meters.get("godwit.dist.peer.held.bytes").gauge().value()).isZero();
    }

    @Test
    void whatWaitsForAFullLinkIsPassedByNobodyAndRefusedInTheEnd() {
        a.subscribe("t", "s");
        cluster.settle();
        b.links.window(1);
        cluster.net.cut("b", "a");
        CompletableFuture<DistOutcome> sent = b.publish("t", Qos.AT_LEAST_ONCE, "1");
        CompletableFuture<DistOutcome> waits = b.publish("t", Qos.AT_LEAST_ONCE, "2");
        cluster.timers.advance(TestNode.HELD_MESSAGE.minus(HeldMessages.LOOK));
        CompletableFuture<DistOutcome> later = b.publish("t", Qos.AT_LEAST_ONCE, "3");
        assertThat(waits).isNotDone();
        cluster.timers.advance(HeldMessages.LOOK);
        assertThat(waits).isCompletedWithValue(DistOutcome.OVERLOADED);
        assertThat(b.count("godwit.dist.peer.refused")).isEqualTo(1);
        assertThat(b.overCount(NodeWait.HELD_MESSAGE)).isOne();
        assertThat(b.events)
                .containsExactly(new BrokerEvent.WaitRanOut(
                        NodeWait.HELD_MESSAGE, TestNode.HELD_MESSAGE, "the link to a/1, which is broken"));
        cluster.net.mend("b", "a");
        cluster.settle();
        assertThat(sent).isCompletedWithValue(DistOutcome.DELIVERED);
        b.publish("t", Qos.AT_MOST_ONCE, "dropped");
        assertThat(later).as("the message waits until the next check for room").isNotDone();
        cluster.timers.advance(HeldMessages.LOOK);
        cluster.settle();
        assertThat(later).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(a.received("s")).containsExactly("1", "3");
    }

    @Test
    @Clause({"MQTT5-4.6.0-5", "MQTT311-4.6.0-6"})
    void whatAClientBefore5RepeatsBehindARefusedMessageIsNotSent() {
        a.subscribe("t", "s");
        cluster.settle();
        b.links.window(1);
        cluster.net.cut("b", "a");
        Publisher publisher = before5();
        CompletableFuture<DistOutcome> sent = publish(publisher, "1");
        CompletableFuture<DistOutcome> refused = publish(publisher, "2");
        cluster.timers.advance(TestNode.HELD_MESSAGE.minus(HeldMessages.LOOK));
        CompletableFuture<DistOutcome> behind = publish(publisher, "3");
        cluster.timers.advance(HeldMessages.LOOK);
        assertThat(refused).isCompletedWithValue(DistOutcome.OVERLOADED);
        cluster.net.mend("b", "a");
        cluster.settle();
        cluster.timers.advance(HeldMessages.LOOK);
        cluster.settle();
        assertThat(sent).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(behind).isCompletedWithValue(DistOutcome.OVERLOADED);
        assertThat(publish(publisher, "4")).isCompletedWithValue(DistOutcome.OVERLOADED);
        assertThat(a.received("s")).containsExactly("1");
    }

    /** Its filters are known again before the publisher would learn that the first message is lost. */
    @Test
    @Clause({"MQTT5-4.6.0-5", "MQTT311-4.6.0-6"})
    void whatIsBehindAMessageLostWithALinkIsNotSentOverTheNextLink() {
        a.subscribe("t", "s");
        cluster.settle();
        cluster.net.cut("b", "a");
        Publisher publisher = before5();
        CompletableFuture<DistOutcome> lost = publish(publisher, "1");
        cluster.view.hasMajority = false;
        cluster.net.end("b", "a", "for the test");
        assertThat(lost).isNotDone();
        cluster.net.mend("b", "a");
        cluster.net.link("b", "a");
        cluster.settle();
        assertThat(lost).isCompletedWithValue(DistOutcome.FAILED);
        assertThat(publish(publisher, "2")).isCompletedWithValue(DistOutcome.OVERLOADED);
        cluster.settle();
        assertThat(a.received("s")).isEmpty();

        Publisher next = before5();
        publish(next, "1");
        publish(next, "2");
        cluster.settle();
        assertThat(a.received("s")).containsExactly("1", "2");
    }

    /** The filters of the ended link are still in use, because nothing could be agreed on. */
    @Test
    @Clause({"MQTT5-4.6.0-5", "MQTT311-4.6.0-6"})
    void whatIsBehindAMessageForAnEndedLinkIsNotSentOverTheNextLink() {
        a.subscribe("t", "s");
        cluster.settle();
        cluster.view.hasMajority = false;
        cluster.net.end("b", "a", "for the test");
        cluster.net.link("b", "a");
        Publisher publisher = before5();
        CompletableFuture<DistOutcome> lost = publish(publisher, "1");
        cluster.settle();
        CompletableFuture<DistOutcome> behind = publish(publisher, "2");
        cluster.settle();
        assertThat(a.received("s")).isEmpty();
        assertThat(lost).isCompletedWithValue(DistOutcome.FAILED);
        assertThat(behind).isCompletedWithValue(DistOutcome.OVERLOADED);

        Publisher next = before5();
        assertThat(List.of(publish(next, "1"), publish(next, "2"))).noneMatch(CompletableFuture::isDone);
        cluster.settle();
        assertThat(a.received("s")).containsExactly("1", "2");
    }

    /** The filters of both links are in the index until those of the ended one are removed. */
    @Test
    void whatMatchesTheFiltersOfTwoLinksOfANodeIsSentOverTheLastOneOnly() {
        a.subscribe("t", "s");
        cluster.settle();
        cluster.view.hasMajority = false;
        cluster.net.end("b", "a", "for the test");
        cluster.net.link("b", "a");
        cluster.settle();
        CompletableFuture<DistOutcome> published = b.publish("t", Qos.AT_LEAST_ONCE, "1");
        cluster.settle();
        assertThat(published).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(a.received("s")).containsExactly("1");
    }

    @Test
    @Clause({"MQTT5-4.6.0-5", "MQTT311-4.6.0-6"})
    void whatIsBehindAMessageThatWaitedForAnEndedLinkIsNotSentOverTheNextLink() {
        a.subscribe("t", "s");
        cluster.settle();
        fillLink();
        Publisher publisher = before5();
        CompletableFuture<DistOutcome> waits = publish(publisher, "1");
        linkAgain();
        isNotPassed(waits, publisher);
    }

    /** It waits because messages of other publishers wait for the ended link. */
    @Test
    @Clause({"MQTT5-4.6.0-5", "MQTT311-4.6.0-6"})
    void whatIsBehindAMessageThatWaitsForAnEndedLinkIsNotSentOverTheNextLink() {
        a.subscribe("t", "s");
        cluster.settle();
        fillLink();
        publish(b, "q", Qos.AT_LEAST_ONCE, "q2");
        linkAgain();
        Publisher publisher = before5();
        isNotPassed(publish(publisher, "1"), publisher);
    }

    private void fillLink() {
        b.links.window(1);
        cluster.net.cut("b", "a");
        publish(b, "q", Qos.AT_LEAST_ONCE, "q1");
    }

    /** The filters of the new link are not known yet. */
    private void linkAgain() {
        cluster.view.hasMajority = false;
        cluster.net.end("b", "a", "for the test");
        cluster.net.mend("b", "a");
        cluster.net.link("b", "a");
    }

    private void isNotPassed(CompletableFuture<DistOutcome> waits, Publisher publisher) {
        cluster.settle();
        CompletableFuture<DistOutcome> behind = publish(publisher, "2");
        cluster.settle();
        assertThat(a.received("s")).isEmpty();
        assertThat(behind).isCompletedWithValue(DistOutcome.OVERLOADED);
        cluster.timers.advance(HeldMessages.LOOK);
        assertThat(waits).isCompletedWithValue(DistOutcome.FAILED);
        cluster.settle();
        assertThat(a.received("s")).isEmpty();
    }

    private Publisher before5() {
        ClientInfo client = new ClientInfo(TenantId.DEFAULT, new ClientId("p"), null, "127.0.0.1:1", 4);
        return b.client().publisher(client, null, Runnable::run);
    }

    private static CompletableFuture<DistOutcome> publish(Publisher publisher, String payload) {
        return publisher.publish(TestNode.message("t", Qos.AT_LEAST_ONCE, payload), null);
    }

    /** The client's next connection resumes it, and its receivers may then forget the token. */
    @Test
    void whatHasATokenAndWaitsIsNotSentOnceItsConnectionHasEnded() {
        a.subscribe("t", "s");
        cluster.settle();
        b.links.window(1);
        Publisher publisher = b.publisher("p");
        publisher.publish(TestNode.message("t", Qos.AT_LEAST_ONCE, "1"), null);
        CompletableFuture<DistOutcome> plain = publisher.publish(TestNode.message("t", Qos.AT_LEAST_ONCE, "2"), null);
        CompletableFuture<DistOutcome> withToken =
                publisher.publish(TestNode.message("t", Qos.EXACTLY_ONCE, "3"), new DeliveryToken("o", 1, 0));
        publisher.end();
        for (int look = 0; look < 3; look++) {
            cluster.settle();
            cluster.timers.advance(HeldMessages.LOOK);
        }
        assertThat(plain).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(withToken).isCompletedWithValue(DistOutcome.FAILED);
        assertThat(a.received("s")).containsExactly("1", "2");
    }

    @Test
    void whatWaitsForAPeerThatIsOverIsAnsweredOnceItsNodeIsOut() {
        a.subscribe("t", "s");
        cluster.settle();
        b.links.window(1);
        b.publish("t", Qos.AT_LEAST_ONCE, "1");
        CompletableFuture<DistOutcome> waits = b.publish("t", Qos.AT_LEAST_ONCE, "2");
        cluster.net.kill("a");
        assertThat(waits).isNotDone();
        cluster.timers.advance(HeldMessages.LOOK);
        assertThat(b.members.excluded).contains(a.life);
        assertThat(waits).isCompletedWithValue(DistOutcome.DELIVERED);
    }

    /** A frame is confirmed when handed over; otherwise later ones would pile up before sessions that are behind. */
    @Test
    void whatANodeSendsWaitsWhileSessionsAreBehindAndItsFiltersDoNot() {
        a.subscribe("t", "s");
        a.subscribe("$share/g/t", "s");
        cluster.settle();
        b.links.window(2);
        a.liveAnswer = new CompletableFuture<>();
        CompletableFuture<DistOutcome> first = b.publish("t", Qos.AT_LEAST_ONCE, "1");
        CompletableFuture<DistOutcome> second = b.publish("t", Qos.AT_LEAST_ONCE, "2");
        for (int i = 3; i < 10; i++) {
            b.publish("t", Qos.AT_MOST_ONCE, String.valueOf(i));
        }
        cluster.settle();
        assertThat(a.live).hasSize(1);
        assertThat(b.count("godwit.dist.peer.dropped")).isEqualTo(14);
        CompletableFuture<Boolean> subscribed = b.subscribe("other", "s");
        cluster.settle();
        assertThat(subscribed).isCompletedWithValue(true);
        CompletableFuture<DistOutcome> behind = a.liveAnswer;
        a.liveAnswer = Deliverer.DELIVERED;
        behind.complete(DistOutcome.DELIVERED);
        cluster.settle();
        cluster.timers.advance(HeldMessages.LOOK);
        cluster.settle();
        assertThat(first).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(second).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(a.received("s")).containsExactly("1", "1", "2", "2");
    }

    @Test
    void whatANodeTellsAboutItselfStaysThere() {
        a.subscribe("$SYS/#", "s");
        b.subscribe("$SYS/#", "s");
        cluster.settle();
        b.publish("$SYS/uptime", Qos.AT_LEAST_ONCE, "1");
        cluster.settle();
        assertThat(a.live).isEmpty();
        assertThat(b.received("s")).containsExactly("1");
    }

    @Test
    void expiryCountsByTheClockOfEachNode() {
        a.subscribe("t", "s");
        cluster.settle();
        a.wallMillis += 3_600_000; // its clock is an hour ahead
        b.wallMillis += 4_000;
        b.publisher("p")
                .publish(
                        new Message(
                                "t",
                                new byte[0],
                                Qos.AT_MOST_ONCE,
                                false,
                                TestNode.WALL_MILLIS,
                                new MessageProperties(-1, 10, null, null, null, List.of())),
                        null);
        cluster.settle();
        assertThat(a.live.get(0).message().remainingExpirySeconds(a.wallMillis)).isEqualTo(6);
    }

    @Test
    void whatCannotBeAcknowledgedWaitsInOrderAndIsMatchedAnew() {
        Queue<Runnable> thread = new ArrayDeque<>();
        Publisher publisher = b.client().publisher(TestNode.clientOf("p"), null, thread::add);
        b.subscribe("t", "here");
        cluster.settle();
        b.members.setFresh(false);
        CompletableFuture<DistOutcome> first = publisher.publish(TestNode.message("t", Qos.AT_LEAST_ONCE, "1"), null);
        publisher.publish(TestNode.message("t", Qos.AT_MOST_ONCE, "0"), null);
        assertThat(b.received("here")).containsExactly("0");

        a.subscribe("t", "missed"); // by then b could be a member that nobody waits for
        cluster.settle();
        b.members.setFresh(true);
        CompletableFuture<DistOutcome> second = publisher.publish(TestNode.message("t", Qos.AT_LEAST_ONCE, "2"), null);
        assertThat(b.received("here")).containsExactly("0");
        List.copyOf(thread).forEach(Runnable::run);
        cluster.settle();
        assertThat(first).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(second).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(a.received("missed")).containsExactly("1", "2");
        assertThat(b.received("here")).containsExactly("0", "1", "2");
    }

    @Test
    void whatMayNotBeAcknowledgedForTooLongIsRefusedAndReachesNobody() {
        b.subscribe("t", "here");
        cluster.settle();
        b.members.setFresh(false);
        CompletableFuture<DistOutcome> refused = b.publish("t", Qos.EXACTLY_ONCE, "1");
        b.members.refuse();
        assertThat(refused).isCompletedWithValue(DistOutcome.OVERLOADED);
        assertThat(b.live).isEmpty();
        b.members.setFresh(true);
        assertThat(b.publish("t", Qos.EXACTLY_ONCE, "2")).isCompletedWithValue(DistOutcome.DELIVERED);
    }

    /** Its client may have published later messages at another node. */
    @Test
    void whatWaitsIsNotDeliveredWhenItsConnectionHasEnded() {
        Publisher publisher = b.publisher("p");
        b.subscribe("t", "here");
        cluster.settle();
        b.members.setFresh(false);
        CompletableFuture<DistOutcome> waiting = publisher.publish(TestNode.message("t", Qos.AT_LEAST_ONCE, "1"), null);
        publisher.end();
        b.members.setFresh(true);
        assertThat(waiting).isCompletedWithValue(DistOutcome.OVERLOADED);
        assertThat(b.live).isEmpty();
        publisher.publish(TestNode.message("t", Qos.AT_MOST_ONCE, "late"), null);
        assertThat(b.received("here")).containsExactly("late");
    }
}
