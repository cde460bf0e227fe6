package io.godwit.dist.peer.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import io.godwit.cluster.link.Lane;
import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.dist.peer.TestNode;
import io.godwit.dist.peer.filter.LiveFilters;
import io.godwit.dist.peer.link.ControlFrames;
import io.godwit.dist.wire.GroupAnswer;
import io.godwit.dist.wire.PeerFrame;
import io.godwit.plugin.message.Qos;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Shared groups with live members on several nodes. */
class LiveGroupsTest {
    private static final String SHARED = "$share/g/t";

    private final TestNode.Cluster cluster = new TestNode.Cluster();
    private final TestNode a = cluster.serving("a", 1);
    private final TestNode b = cluster.serving("b", 1);
    private final TestNode c = cluster.serving("c", 1);

    @AfterEach
    void nothingWaits() {
        cluster.settle();
        assertThat(List.of(a, b, c))
                .allSatisfy(node -> assertThat(node.peers.waitingForGroups())
                        .as(node.life.nodeId())
                        .isZero());
    }

    private static List<CompletableFuture<DistOutcome>> publish(TestNode from, Qos qos, int count, String name) {
        List<CompletableFuture<DistOutcome>> outcomes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            outcomes.add(from.publish("t", qos, name + i));
        }
        return outcomes;
    }

    private static List<String> payloads(int count, String name) {
        return IntStream.range(0, count).mapToObj(i -> name + i).toList();
    }

    private static void assertDelivered(List<CompletableFuture<DistOutcome>> outcomes) {
        assertThat(outcomes).allSatisfy(outcome -> assertThat(outcome).isCompletedWithValue(DistOutcome.DELIVERED));
    }

    private static List<String> all(List<String> one, List<String> other) {
        return Stream.concat(one.stream(), other.stream()).toList();
    }

    private static List<String> all(List<String> one, List<String> other, List<String> third) {
        return all(all(one, other), third);
    }

    @ParameterizedTest
    @ValueSource(strings = {"$share/g/t", "$oshare/g/t", "$queue/t", "$share/g/+", "$queue/#"})
    void aMessageReachesAGroupThatHasMembersOnAnotherNodeOnly(String filter) {
        a.subscribe(filter, "s", new SubscriptionOptions(Qos.AT_LEAST_ONCE, false, true, 7));
        cluster.settle();
        CompletableFuture<DistOutcome> published = b.publish("t", Qos.EXACTLY_ONCE, "1", new DeliveryToken("o", 1, 0));
        assertThat(published).isNotDone();
        assertThat(b.publish("t", Qos.AT_MOST_ONCE, "2")).isCompletedWithValue(DistOutcome.DELIVERED);
        cluster.net.deliverOne("b", "a", Lane.LIVE);
        assertThat(published).as("only the link has confirmed the message").isNotDone();
        cluster.settle();
        assertThat(published).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(a.received("s")).containsExactly("1", "2");
        assertThat(a.live.get(0).matches()).singleElement().satisfies(match -> {
            assertThat(match.sharedBy()).isEqualTo(TestNode.filter(filter));
            assertThat(match.qos()).isEqualTo(Qos.AT_LEAST_ONCE);
            assertThat(match.retainAsPublished()).isTrue();
            assertThat(match.subscriptionIds()).containsExactly(7);
        });
        assertThat(b.live).isEmpty();
    }

    /** A session may subscribe to a hundred filters at once, each of a group of its own. */
    @Test
    void aMessageForManyGroupsOfANodeGoesThereOnce() {
        for (int i = 0; i < 200; i++) {
            a.subscribe("$share/g" + i + "/t", "s" + i % 2);
            b.subscribe("$share/g" + i + "/t", "t");
        }
        c.subscribe("$share/g7/t", "c");
        b.unsubscribe("$share/g5/t", "t");
        cluster.settle();
        cluster.timers.advance(LiveFilters.LINGER.multipliedBy(2));
        cluster.settle();
        double before = c.count("godwit.dist.peer.sent");
        CompletableFuture<DistOutcome> published = c.publish("t", Qos.AT_LEAST_ONCE, "1");
        assertThat(c.publish("t", Qos.AT_MOST_ONCE, "2")).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(c.count("godwit.dist.peer.sent") - before).isLessThanOrEqualTo(4);
        assertThat(published).isNotDone();
        cluster.settle();
        assertThat(published).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(all(all(a.received("s0"), a.received("s1")), all(b.received("t"), c.received("c"))))
                .hasSize(400);
    }

    /** Otherwise each lost question would scan all open ones. */
    @Test
    void manyQuestionsToANodeThatIsOverAreGivenUpInOneLook() {
        a.subscribe(SHARED, "s");
        cluster.settle();
        cluster.net.cut("b", "a");
        cluster.net.cut("b", "c");
        List<CompletableFuture<DistOutcome>> outcomes = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            outcomes.add(b.publish("t", Qos.EXACTLY_ONCE, "1", new DeliveryToken("o", i, 0, true)));
        }
        assertThat(b.peers.waitingForGroups()).isEqualTo(40_000);
        assertTimeout(Duration.ofSeconds(2), () -> cluster.net.kill("c"));
        assertThat(b.peers.waitingForGroups()).isEqualTo(20_000);
        b.peers.excluded(c.life);
        cluster.net.mend("b", "a");
        cluster.settle();
        assertDelivered(outcomes);
    }

    @Test
    void aQuestionIsForgottenWhenNobodyWaitsForTheAnswer() {
        a.subscribe(SHARED, "s");
        cluster.settle();
        cluster.net.cut("a", "b");
        cluster.view.hasMajority = false;
        CompletableFuture<DistOutcome> published =
                b.publish("t", Qos.EXACTLY_ONCE, "1", new DeliveryToken("o", 1, 0, true));
        cluster.settle();
        cluster.timers.advance(TestNode.CONFIRM);
        assertThat(published).isNotDone();
        cluster.timers.advance(TestNode.GIVEN_UP);
        assertThat(published).isCompletedWithValue(DistOutcome.FAILED);
        assertThat(b.peers.waitingForGroups()).isZero();
        cluster.net.mend("a", "b");
        cluster.settle();
        assertThat(b.links.peer("a"))
                .as("the late answer does not end the link")
                .isNotNull();
        assertThat(a.received("s")).isEmpty();
    }

    /** Only the groups without a member on that node choose another. */
    @Test
    void ofManyGroupsThoseThatAreDeclinedChooseAnother() {
        List<String> groups =
                IntStream.range(0, 5).mapToObj(i -> "$oshare/g" + i + "/t").toList();
        groups.forEach(group -> a.subscribe(group, "s"));
        cluster.settle();
        a.unsubscribe(groups.get(1), "s");
        a.unsubscribe(groups.get(4), "s"); // the peer learns of this later
        b.subscribe(groups.get(1), "t");
        cluster.settle();
        CompletableFuture<DistOutcome> published = c.publish("t", Qos.EXACTLY_ONCE, "1", new DeliveryToken("o", 1, 0));
        cluster.settle();
        assertThat(published).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(a.received("s")).hasSize(3);
        assertThat(b.received("t")).hasSize(1);
    }

    @Test
    void longFiltersOfGroupsGoInSeveralFrames() {
        String topic = "level/" + "t".repeat(20_000);
        for (int i = 0; i < 10; i++) {
            a.subscribe("$share/g" + i + '/' + topic, "s");
        }
        cluster.settle();
        b.links.maxFrameBytes(100_000);
        b.links.window(2);
        CompletableFuture<DistOutcome> published = b.publish(topic, Qos.AT_LEAST_ONCE, "1");
        for (int look = 0; look < 10; look++) {
            cluster.settle();
            cluster.timers.advance(HeldMessages.LOOK);
        }
        assertThat(published).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(a.received("s")).hasSize(10);
    }

    @Test
    void membersHereAndElsewhereShareTheMessagesEachOnce() {
        a.subscribe(SHARED, "s1");
        a.subscribe(SHARED, "s2");
        a.subscribe("t", "plain");
        b.subscribe(SHARED, "s3");
        cluster.settle();
        cluster.timers.advance(Duration.ofMillis(200)); // the second member is reported a little later
        cluster.settle();
        List<CompletableFuture<DistOutcome>> outcomes = publish(b, Qos.AT_LEAST_ONCE, 600, "b");
        outcomes.addAll(publish(c, Qos.AT_LEAST_ONCE, 600, "c"));
        cluster.settle();
        assertDelivered(outcomes);
        List<String> shared = all(a.received("s1"), a.received("s2"), b.received("s3"));
        List<String> expected = all(payloads(600, "b"), payloads(600, "c"));
        assertThat(shared).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(a.received("plain")).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(List.of(a.received("s1"), a.received("s2"), b.received("s3")))
                .allSatisfy(received -> assertThat(received).hasSizeBetween(300, 500));
    }

    @Test
    void messagesOfAPublisherAndTopicStayInOrderAtOneMemberOfAnOrderedGroup() {
        a.subscribe("$oshare/g/t", "s1");
        a.subscribe("$oshare/g/t", "s2");
        c.subscribe("$oshare/g/t", "s3");
        cluster.settle();
        publish(b, Qos.AT_LEAST_ONCE, 50, "");
        cluster.settle();
        List<List<String>> received = List.of(a.received("s1"), a.received("s2"), c.received("s3"));
        assertThat(received).filteredOn(List::isEmpty).hasSize(2);
        assertThat(all(received.get(0), received.get(1), received.get(2))).isEqualTo(payloads(50, ""));
    }

    @Test
    void aRepeatAtAnotherNodeReachesNobodyElse() {
        a.subscribe(SHARED, "s1");
        c.subscribe(SHARED, "s2");
        b.subscribe(SHARED, "s3");
        cluster.settle();
        for (TestNode repeating : List.of(a, b, c)) {
            List<CompletableFuture<DistOutcome>> outcomes = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                DeliveryToken token = new DeliveryToken(repeating.life.nodeId(), i, 0);
                outcomes.add(b.publish("t", Qos.EXACTLY_ONCE, token.origin() + i, token));
            }
            cluster.settle();
            assertDelivered(outcomes);
            outcomes.clear();
            for (int i = 0; i < 60; i++) {
                DeliveryToken token = new DeliveryToken(repeating.life.nodeId(), i, 0, true);
                outcomes.add(repeating.publish("t", Qos.EXACTLY_ONCE, token.origin() + i, token));
            }
            cluster.settle();
            assertDelivered(outcomes);
        }
        assertThat(all(a.received("s1"), c.received("s2"), b.received("s3")))
                .containsExactlyInAnyOrderElementsOf(all(payloads(60, "a"), payloads(60, "b"), payloads(60, "c")));
    }

    @Test
    void aRepeatAtAnotherNodeWaitsForTheAnswersOfAll() {
        a.subscribe(SHARED, "s1");
        cluster.settle();
        DeliveryToken token = new DeliveryToken("o", 1, 0, true);
        CompletableFuture<DistOutcome> outcome = a.publish("t", Qos.EXACTLY_ONCE, "1", token);
        cluster.net.deliverOne("a", "b", Lane.CONTROL);
        cluster.net.deliverOne("b", "a", Lane.CONTROL);
        assertThat(outcome).isNotDone();
        assertThat(a.received("s1")).isEmpty();
        cluster.settle();
        assertThat(outcome).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(a.received("s1")).containsExactly("1");
    }

    @Test
    void aRepeatDoesNotWaitForANodeThatIsOut() {
        a.subscribe(SHARED, "s1");
        cluster.settle();
        cluster.net.end("a", "b", "ended by the test");
        CompletableFuture<DistOutcome> outcome =
                a.publish("t", Qos.EXACTLY_ONCE, "1", new DeliveryToken("o", 1, 0, true));
        cluster.settle();
        cluster.timers.advance(Duration.ofSeconds(6));
        cluster.settle();
        assertThat(outcome).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(a.received("s1")).containsExactly("1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"$share/g/t", "$oshare/g/t"})
    void whatANodeHasNoMemberForAnyMoreGoesToAnother(String filter) {
        a.subscribe(filter, "s1");
        cluster.settle();
        List<CompletableFuture<DistOutcome>> outcomes = publish(b, Qos.AT_LEAST_ONCE, 20, "");
        publish(b, Qos.AT_MOST_ONCE, 1, "dropped");
        a.unsubscribe(filter, "s1");
        c.subscribe(filter, "s2");
        cluster.net.deliverOne("c", "b", Lane.CONTROL);
        cluster.settle();
        assertDelivered(outcomes);
        assertThat(c.received("s2")).containsExactlyElementsOf(payloads(20, ""));
        assertThat(a.live).isEmpty();
        assertThat(a.count("godwit.dist.peer.declined")).isEqualTo(21);
    }

    @Test
    void whatNobodyIsLeftForMatchesNobody() {
        a.subscribe(SHARED, "s1");
        cluster.settle();
        CompletableFuture<DistOutcome> published = b.publish("t", Qos.AT_LEAST_ONCE, "1");
        a.unsubscribe(SHARED, "s1");
        cluster.settle();
        assertThat(published).isCompletedWithValue(DistOutcome.NO_MATCH);
        cluster.timers.advance(Duration.ofSeconds(1));
        cluster.settle();
        assertThat(b.publish("t", Qos.AT_LEAST_ONCE, "2")).isCompletedWithValue(DistOutcome.NO_MATCH);
        assertThat(a.live).isEmpty();
    }

    @Test
    void whatANodeDidNotAnswerBeforeItsEndGoesToAnotherOnceTheNodeIsOut() {
        a.subscribe(SHARED, "s1");
        cluster.settle();
        List<CompletableFuture<DistOutcome>> outcomes = publish(b, Qos.AT_LEAST_ONCE, 5, "");
        c.subscribe(SHARED, "s2");
        cluster.net.deliverOne("c", "b", Lane.CONTROL);
        cluster.net.deliverOne("b", "a", Lane.LIVE); // its answer does not come back
        cluster.net.kill("a");
        cluster.settle();
        assertDelivered(outcomes);
        assertThat(a.received("s1")).containsExactly("0");
        assertThat(c.received("s2")).containsExactlyElementsOf(payloads(5, ""));
        assertThat(b.members.excluded).contains(a.life);

        cluster.timers.advance(Duration.ofSeconds(1));
        c.unsubscribe(SHARED, "s2");
        cluster.timers.advance(Duration.ofSeconds(1));
        cluster.settle();
        assertThat(b.publish("t", Qos.AT_LEAST_ONCE, "x"))
                .as("the members of the dead node are removed")
                .isCompletedWithValue(DistOutcome.NO_MATCH);
    }

    @Test
    void whileItCannotBeAgreedThatANodeIsOutNobodyElseGetsItsMessage() {
        a.subscribe(SHARED, "s1");
        cluster.settle();
        DeliveryToken token = new DeliveryToken("o", 1, 0);
        CompletableFuture<DistOutcome> published = b.publish("t", Qos.EXACTLY_ONCE, "1", token);
        cluster.net.deliverOne("b", "a", Lane.LIVE);
        cluster.view.hasMajority = false;
        cluster.net.end("a", "b", "ended by the test");
        assertThat(published).isNotDone();
        cluster.timers.advance(TestNode.GIVEN_UP);
        assertThat(published).isCompletedWithValue(DistOutcome.FAILED);
        c.subscribe(SHARED, "s2");
        cluster.settle();
        CompletableFuture<DistOutcome> second = b.publish("t", Qos.EXACTLY_ONCE, "1", token);
        cluster.timers.advance(TestNode.GIVEN_UP);
        assertThat(second).isCompletedWithValue(DistOutcome.FAILED);

        cluster.net.link("a", "b");
        cluster.settle();
        cluster.timers.advance(Duration.ZERO); // filters of the earlier link are removed
        CompletableFuture<DistOutcome> again = b.publish("t", Qos.EXACTLY_ONCE, "1", token);
        cluster.settle();
        assertThat(again).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(a.received("s1")).containsExactly("1");
        assertThat(c.received("s2")).isEmpty();
    }

    @Test
    void aRepeatUnderATokenFindsTheMemberThatHasTheMessageEvenIfItHasLeft() {
        a.subscribe(SHARED, "s1");
        a.subscribe(SHARED, "s2");
        c.subscribe(SHARED, "s3");
        cluster.settle();
        for (int number = 1; number <= 20; number++) {
            DeliveryToken token = new DeliveryToken("o", number, 0);
            for (int repeat = 0; repeat < 5; repeat++) {
                CompletableFuture<DistOutcome> outcome = b.publish("t", Qos.EXACTLY_ONCE, "m" + number, token);
                cluster.settle();
                assertThat(outcome).isCompletedWithValue(DistOutcome.DELIVERED);
            }
        }
        DeliveryToken early = new DeliveryToken("o", 1, 0);
        a.unsubscribe(SHARED, "s1");
        a.unsubscribe(SHARED, "s2");
        cluster.timers.advance(Duration.ofSeconds(1));
        cluster.settle();
        b.publish("t", Qos.EXACTLY_ONCE, "m1", early);
        cluster.settle();
        assertThat(all(a.received("s1"), a.received("s2"), c.received("s3")))
                .hasSize(20)
                .doesNotHaveDuplicates();

        b.client().finished("o", 1);
        cluster.timers.advance(PeerTokens.GATHER);
        cluster.settle();
        b.publish("t", Qos.EXACTLY_ONCE, "late", early);
        cluster.settle();
        assertThat(c.received("s3")).doesNotContain("late");

        cluster.timers.advance(Duration.ofMinutes(2));
        cluster.settle();
        b.publish("t", Qos.EXACTLY_ONCE, "anew", early);
        cluster.settle();
        assertThat(c.received("s3")).endsWith("anew");
    }

    @Test
    void aMessageThatIsRepeatedWhileItIsDeclinedGoesToOneOtherMember() {
        a.subscribe(SHARED, "s1");
        cluster.settle();
        DeliveryToken token = new DeliveryToken("o", 1, 0);
        List<CompletableFuture<DistOutcome>> outcomes = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            outcomes.add(b.publish("t", Qos.EXACTLY_ONCE, "1", token));
        }
        a.unsubscribe(SHARED, "s1");
        b.subscribe(SHARED, "s2");
        c.subscribe(SHARED, "s3");
        b.subscribe(SHARED, "s4");
        cluster.net.deliverOne("c", "b", Lane.CONTROL);
        cluster.settle();
        assertDelivered(outcomes);
        assertThat(all(b.received("s2"), c.received("s3"), b.received("s4"))).containsExactly("1");
    }

    @Test
    void aRepeatThatComesToANodeWithAMemberAfterItDeclinedIsDeclinedToo() {
        a.subscribe(SHARED, "s1");
        cluster.settle();
        DeliveryToken token = new DeliveryToken("o", 1, 0);
        CompletableFuture<DistOutcome> first = b.publish("t", Qos.EXACTLY_ONCE, "1", token);
        CompletableFuture<DistOutcome> repeat = b.publish("t", Qos.EXACTLY_ONCE, "1", token);
        b.subscribe(SHARED, "s2");
        a.unsubscribe(SHARED, "s1");
        cluster.net.deliverOne("b", "a", Lane.LIVE);
        a.subscribe(SHARED, "late");
        cluster.settle();
        assertDelivered(List.of(first, repeat));
        assertThat(all(a.received("late"), b.received("s2"))).containsExactly("1");
    }

    @Test
    void nobodyIsToldOfMembersOnAThirdNode() {
        a.subscribe(SHARED, "s1");
        cluster.settle();
        cluster.timers.advance(Duration.ofSeconds(2));
        cluster.settle();
        assertThat(a.meters.get("godwit.dist.peer.filters").gauge().value()).isEqualTo(1);
        assertThat(b.meters.get("godwit.dist.peer.filters").gauge().value()).isZero();
        assertThat(c.meters.get("godwit.dist.peer.filters").gauge().value()).isZero();

        CompletableFuture<DistOutcome> underWay = b.publish("t", Qos.AT_LEAST_ONCE, "1");
        a.unsubscribe(SHARED, "s1");
        cluster.settle();
        assertThat(underWay).isCompletedWithValue(DistOutcome.NO_MATCH);
        assertThat(c.count("godwit.dist.peer.received"))
                .as("a sends no message to c")
                .isZero();
    }

    @Test
    void aFullMemberHandsOnWithinItsNodeWhatAnotherNodeHasSent() {
        a.subscribe(SHARED, "s1");
        c.subscribe(SHARED, "s3");
        cluster.settle();
        publish(b, Qos.AT_LEAST_ONCE, 30, "");
        cluster.settle();
        Delivery sent = a.live.get(0);
        Delivery own = sent.only(sent.matches().get(0));
        assertThat(a.client().handOn(own)).isCompletedWithValue(DistOutcome.NO_MATCH);
        a.subscribe(SHARED, "s2");
        assertThat(a.client().handOn(own)).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(a.received("s2")).hasSize(1);
        assertThat(a.live.get(a.live.size() - 1).isOfAnotherNode()).isTrue();
    }

    @Test
    void aFullMemberHandsOnToAnotherNodeWhatWasPublishedHere() {
        b.subscribe(SHARED, "s1");
        cluster.settle();
        b.publish("t", Qos.AT_LEAST_ONCE, "1");
        Delivery delivery = b.live.get(0);
        a.subscribe(SHARED, "s2");
        cluster.settle();
        CompletableFuture<DistOutcome> outcome =
                b.client().handOn(delivery.only(delivery.matches().get(0)));
        cluster.settle();
        assertThat(outcome).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(a.received("s2")).containsExactly("1");
    }

    /** The publisher has its acknowledgement and will not repeat, so this is not a late copy. */
    @Test
    void whatIsHandedOnAfterItsTokenIsFinishedReachesTheNextMember() {
        b.subscribe(SHARED, "s1");
        cluster.settle();
        b.publish("t", Qos.EXACTLY_ONCE, "1", new DeliveryToken("o", 1, 0));
        cluster.settle();
        Delivery delivery = b.live.get(0);
        b.client().finished("o", 1);
        a.subscribe(SHARED, "s2");
        cluster.settle();
        b.unsubscribe(SHARED, "s1");
        a.unsubscribe(SHARED, "s2"); // b learns of that later, and finds that no member is left there
        CompletableFuture<DistOutcome> outcome =
                b.client().handOn(delivery.only(delivery.matches().get(0)));
        b.subscribe(SHARED, "s3");
        cluster.settle();
        assertThat(outcome).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(b.received("s3")).containsExactly("1");
    }

    @Test
    void aNodeThatJoinsLearnsTheGroupsThereAre() {
        a.subscribe(SHARED, "s1");
        TestNode d = cluster.serving("d", 1);
        cluster.settle();
        CompletableFuture<DistOutcome> published = d.publish("t", Qos.AT_LEAST_ONCE, "1");
        cluster.settle();
        assertThat(published).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(a.received("s1")).containsExactly("1");
    }

    @Test
    void whatANodeTellsAboutItselfGoesToNoMemberElsewhere() {
        a.subscribe("$share/g/$SYS/#", "s1");
        cluster.settle();
        b.publish("$SYS/uptime", Qos.AT_LEAST_ONCE, "1");
        b.subscribe("$share/g/$SYS/#", "s2");
        cluster.settle();
        for (int i = 0; i < 20; i++) {
            b.publish("$SYS/uptime", Qos.AT_LEAST_ONCE, "x");
        }
        cluster.settle();
        assertThat(a.live).isEmpty();
        assertThat(b.received("s2")).hasSize(20);
    }

    @Test
    void qos0ForAGroupIsDroppedAtAFullLink() {
        a.subscribe(SHARED, "s1");
        cluster.settle();
        b.links.window(1);
        publish(b, Qos.AT_MOST_ONCE, 3, "");
        cluster.settle();
        assertThat(a.received("s1")).containsExactly("0");
        assertThat(b.count("godwit.dist.peer.dropped")).isEqualTo(2);
        assertThat(b.events).hasSize(2);
    }

    /** Another member gets a message that the first member's node does not accept. */
    @Test
    void aMemberWhoseNodeDoesNotAcceptTheMessageIsPassedOver() {
        a.subscribe(SHARED, "s1");
        c.subscribe(SHARED, "s3");
        cluster.settle();
        a.links.acceptedBytes(1_000);
        String large = "x".repeat(1_000);
        List<CompletableFuture<DistOutcome>> published = publish(b, Qos.AT_LEAST_ONCE, 20, large);
        cluster.settle();
        assertDelivered(published);
        assertThat(a.received("s1")).isEmpty();
        assertThat(c.received("s3")).hasSize(20);
    }

    @Test
    void aMessageThatNoNodeOfTheGroupAcceptsFails() {
        a.subscribe(SHARED, "s1");
        cluster.settle();
        a.links.acceptedBytes(1_000);
        CompletableFuture<DistOutcome> published = b.publish("t", Qos.AT_LEAST_ONCE, "x".repeat(1_000));
        cluster.settle();
        assertThat(published).isCompletedWithValue(DistOutcome.FAILED);
        assertThat(a.received("s1")).isEmpty();
    }

    @Test
    void anAnswerThatNobodyAskedForEndsThePeer() {
        cluster.settle();
        PeerFrame answer = PeerFrame.newBuilder()
                .setGroupAnswer(GroupAnswer.newBuilder().setFrame(9))
                .build();
        Objects.requireNonNull(a.links.peer("b")).send(Lane.CONTROL, ControlFrames.encode(answer));
        cluster.settle();
        assertThat(b.links.peer("a")).isNull();
    }
}
