package io.godwit.dist.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.Peer;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.member.Heartbeat;
import io.godwit.dist.member.view.AgreedMember;
import io.godwit.dist.member.view.MemberState;
import io.godwit.dist.member.view.NodeLife;
import io.godwit.dist.peer.filter.LiveFilters;
import io.godwit.dist.peer.filter.PeerFeed;
import io.godwit.dist.peer.filter.RemoteFilters;
import io.godwit.dist.peer.link.ControlFrames;
import io.godwit.dist.peer.wait.ExclusionRequests;
import io.godwit.dist.wire.FilterChange;
import io.godwit.dist.wire.FilterChanges;
import io.godwit.dist.wire.MemberChange;
import io.godwit.dist.wire.PeerFrame;
import io.godwit.kv.client.SilentNode;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.NodeWait;
import io.godwit.plugin.message.Qos;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reports of live subscriptions between nodes, and when a subscription is promised. */
class LivePeersTest extends TwoNodes {
    /** The others know the filter already; but they may have excluded this node, and remove it. */
    @Test
    void aSubscriptionWaitsForTheProofThatItsNodeServes() {
        a.subscribe("t", "s1");
        cluster.settle();
        a.members.setFresh(false);
        CompletableFuture<Boolean> second = a.subscribe("t", "s2");
        CompletableFuture<Boolean> third = a.subscribe("t", "s3");
        cluster.settle();
        assertThat(second).isNotDone();
        a.members.refuse();
        assertThat(second).isCompletedExceptionally();
        assertThat(third).isCompletedExceptionally();
        CompletableFuture<Boolean> again = a.subscribe("t", "s2");
        a.members.setFresh(true);
        assertThat(again).isCompletedWithValue(true);
    }

    @Test
    void aSubscriptionIsPromisedOnceAllMembersHaveItAndAPublishThenReachesIt() {
        TestNode c = cluster.serving("c", 1);
        cluster.settle();
        cluster.net.cut("a", "c");
        CompletableFuture<Boolean> subscribed = a.subscribe("t/+", "s");
        cluster.settle();
        assertThat(subscribed).isNotDone();
        cluster.net.mend("a", "c");
        cluster.settle();
        assertThat(subscribed).isCompletedWithValue(true);

        CompletableFuture<DistOutcome> fromB = b.publish("t/1", Qos.AT_LEAST_ONCE, "b");
        CompletableFuture<DistOutcome> fromC = c.publish("t/1", Qos.AT_MOST_ONCE, "c");
        assertThat(fromB).isNotDone();
        assertThat(fromC).isCompletedWithValue(DistOutcome.DELIVERED);
        cluster.settle();
        assertThat(fromB).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(a.received("s")).containsExactlyInAnyOrder("b", "c");
        assertThat(b.publish("other", Qos.AT_LEAST_ONCE, "x")).isCompletedWithValue(DistOutcome.NO_MATCH);
    }

    @Test
    void aFilterThatTheOthersHaveIsWaitedForByNobody() {
        a.subscribe("t", "first");
        CompletableFuture<Boolean> early = a.subscribe("t", "second");
        assertThat(early).isNotDone();
        cluster.settle();
        assertThat(early).isCompletedWithValue(true);

        cluster.net.cut("a", "b");
        assertThat(a.subscribe("t", "third")).isCompletedWithValue(true);
    }

    @Test
    void whoJoinsLearnsEveryFilterInPagesAndWhatSomebodyWaitsForFirst() {
        for (int i = 0; i < 20_000; i++) {
            a.subscribe("some/longer/filter/of/a/device/" + i, "s");
        }
        TestNode c = cluster.serving("c", 1);
        CompletableFuture<Boolean> ofList = a.subscribe("some/longer/filter/of/a/device/9999", "other");
        assertThat(ofList).isNotDone();
        for (int frame = 0; frame < PeerFeed.MAX_UNDER_WAY + 1; frame++) {
            cluster.net.deliverOne("a", "c", Lane.CONTROL);
        }
        cluster.net.deliverOne("a", "b", Lane.CONTROL);
        assertThat(c.peers.knowsAllOf(a.life)).isFalse();
        cluster.net.cut("a", "c"); // the rest of the list does not arrive
        cluster.settle();
        assertThat(ofList).isCompletedWithValue(true);

        cluster.net.mend("a", "c");
        cluster.settle();
        assertThat(c.peers.knowsAllOf(a.life)).isTrue();
        c.publish("some/longer/filter/of/a/device/19999", Qos.AT_MOST_ONCE, "x");
        cluster.settle();
        assertThat(a.received("s")).containsExactly("x");
    }

    /** The text after "$exclusive/" may look like a filter of another kind, or like no filter. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "$exclusive/x",
                "$exclusive/$exclusive/x",
                "$exclusive/$share/g",
                "$exclusive/$share/g/t",
                "$exclusive/$oshare/g/t",
                "$exclusive/$queue/t"
            })
    void anExclusiveFilterIsMatchedByTheOthersAsThePlainTextBehindIt(String filter) {
        String topic = filter.substring("$exclusive/".length());
        assertThat(a.subscribe(filter, "s")).isNotDone();
        cluster.settle();
        assertThat(b.links.peer("a")).isNotNull();
        b.publish(topic, Qos.AT_MOST_ONCE, "1");
        cluster.settle();
        assertThat(a.received("s")).containsExactly("1");

        a.unsubscribe(filter, "s");
        cluster.timers.advance(LiveFilters.LINGER.multipliedBy(2));
        cluster.settle();
        assertThat(b.publish(topic, Qos.AT_LEAST_ONCE, "2")).isCompletedWithValue(DistOutcome.NO_MATCH);
    }

    @Test
    void anExclusiveFilterIsNotTakenForTheSharedOneOfTheSameText() {
        a.subscribe("$exclusive/$share/g/t", "exclusive");
        a.subscribe("$share/g/t", "member");
        cluster.settle();
        a.unsubscribe("$exclusive/$share/g/t", "exclusive");
        cluster.timers.advance(LiveFilters.LINGER.multipliedBy(2));
        cluster.settle();
        assertThat(b.publish("t", Qos.AT_MOST_ONCE, "1")).isCompletedWithValue(DistOutcome.DELIVERED);
        cluster.settle();
        assertThat(a.received("member")).containsExactly("1");
        assertThat(a.received("exclusive")).isEmpty();
    }

    @Test
    void theLastSubscriberIsMissedALittleLaterAndNotIfThereIsAnotherByThen() {
        a.subscribe("t", "s");
        cluster.settle();
        a.unsubscribe("t", "s");
        cluster.timers.advance(LiveFilters.LINGER.minusMillis(200));
        a.subscribe("t", "s");
        cluster.timers.advance(LiveFilters.LINGER.multipliedBy(2));
        cluster.settle();
        b.publish("t", Qos.AT_MOST_ONCE, "1");
        cluster.settle();
        assertThat(a.received("s")).containsExactly("1");

        a.unsubscribe("t", "s");
        cluster.timers.advance(LiveFilters.LINGER.multipliedBy(2));
        cluster.settle();
        assertThat(b.publish("t", Qos.AT_LEAST_ONCE, "2")).isCompletedWithValue(DistOutcome.NO_MATCH);
    }

    /** The others may learn that the last subscriber is gone only after there is a new one. */
    @Test
    void aSubscriptionThatCrossesTheEndOfTheLastOneIsPromisedOnceTheOthersHaveItAnew() {
        a.subscribe("t", "last");
        cluster.settle();
        cluster.net.cut("a", "b");
        a.unsubscribe("t", "last");
        cluster.timers.advance(LiveFilters.LINGER.multipliedBy(2)); // the report that it is gone is under way
        CompletableFuture<Boolean> first = a.subscribe("t", "first");
        cluster.settle();
        assertThat(first).isNotDone();
        cluster.net.mend("a", "b");
        cluster.net.deliverOne("a", "b", Lane.CONTROL);
        assertThat(first).as("b has only learned that there is no subscriber").isNotDone();
        assertThat(b.publish("t", Qos.AT_LEAST_ONCE, "before")).isCompletedWithValue(DistOutcome.NO_MATCH);
        cluster.settle();
        assertThat(first).isCompletedWithValue(true);
        b.publish("t", Qos.AT_LEAST_ONCE, "after");
        cluster.settle();
        assertThat(a.received("first")).containsExactly("after");
        cluster.timers.advance(LiveFilters.LINGER.multipliedBy(2));
        cluster.settle();
        b.publish("t", Qos.AT_LEAST_ONCE, "later");
        cluster.settle();
        assertThat(a.received("first")).containsExactly("after", "later");
    }

    @Test
    void aMemberThatDoesNotConfirmIsExcludedAndTheSubscriptionGoesOnWithoutIt() {
        cluster.net.cut("a", "b");
        CompletableFuture<Boolean> subscribed = a.subscribe("t", "s");
        cluster.settle();
        cluster.timers.advance(TestNode.CONFIRM.minusMillis(1));
        assertThat(subscribed).isNotDone();
        cluster.timers.advance(Duration.ofMillis(1));
        assertThat(subscribed).isCompletedWithValue(true);
        assertThat(a.members.excluded).containsExactly(b.life);
        assertThat(b.members.mayAcknowledge()).isFalse();
        assertThat(a.overCount(NodeWait.CONFIRMATION)).isOne();
        assertThat(a.events)
                .containsExactly(new BrokerEvent.WaitRanOut(
                        NodeWait.CONFIRMATION, TestNode.CONFIRM, "a live subscription, by " + b.life));
    }

    @Test
    void aSubscriptionWaitsNoLongerForAMemberThatSomebodyElseHasExcluded() {
        cluster.net.cut("a", "b");
        CompletableFuture<Boolean> subscribed = a.subscribe("t", "s");
        cluster.settle();
        assertThat(subscribed).isNotDone();
        assertThat(a.members.exclude(b.life, "test")).isCompleted();
        a.peers.excluded(b.life);
        assertThat(subscribed).isCompletedWithValue(true);
    }

    @Test
    void aMemberWithoutALinkIsWaitedForUntilItIsThereOrExcluded() {
        TestNode c = new TestNode(cluster, "c", 1, () -> {
            throw new IllegalStateException();
        });
        cluster.view.join(c.life);
        CompletableFuture<Boolean> subscribed = a.subscribe("t", "s");
        cluster.settle();
        assertThat(subscribed).isNotDone();
        cluster.net.join(c.links);
        cluster.settle();
        assertThat(subscribed).isCompletedWithValue(true);
        assertThat(a.members.excluded).isEmpty();
    }

    @Test
    void aConfirmationThatComesLateIsGoodWhileTheExclusionCannotBeAgreedOn() {
        cluster.net.cut("a", "b");
        cluster.view.hasMajority = false;
        CompletableFuture<Boolean> subscribed = a.subscribe("t", "s");
        cluster.timers.advance(TestNode.CONFIRM.plusSeconds(2));
        cluster.net.end("a", "b", "the link is made anew");
        cluster.net.mend("a", "b");
        cluster.net.link("a", "b");
        cluster.settle();
        assertThat(subscribed).isCompletedWithValue(true);
        cluster.view.hasMajority = true;
        cluster.timers.advance(Duration.ofSeconds(20));
        assertThat(a.members.excluded).isEmpty();
    }

    @Test
    void aSubscriptionThatCannotBeAgreedOnFailsAndIsNotInForce() {
        cluster.net.cut("a", "b");
        cluster.view.hasMajority = false;
        CompletableFuture<Boolean> subscribed = a.subscribe("t", "s");
        cluster.timers.advance(TestNode.CONFIRM);
        assertThat(subscribed).isNotDone();
        cluster.timers.advance(TestNode.GIVEN_UP);
        assertThat(subscribed).isCompletedExceptionally();
        assertThat(subscribed.handle((value, failure) -> DistOutcome.ofFailure(failure.getCause())))
                .isCompletedWithValue(DistOutcome.OVERLOADED);
        assertThat(a.publish("t", Qos.AT_LEAST_ONCE, "x")).isCompletedWithValue(DistOutcome.NO_MATCH);
    }

    /** The silent node leads the range of the view: nothing can be agreed on until that range has another leader. */
    @Test
    void aSubscriptionOutlastsANodeThatNothingCanBeAgreedOnWithout() {
        cluster.net.cut("a", "b");
        cluster.view.hasMajority = false;
        CompletableFuture<Boolean> subscribed = a.subscribe("t", "s");
        cluster.timers.advance(SilentNode.SERVED_AGAIN);
        assertThat(subscribed).isNotDone();
        cluster.view.hasMajority = true;
        cluster.timers.advance(ExclusionRequests.AGAIN);
        assertThat(subscribed).isCompletedWithValue(true);
        assertThat(a.members.excluded).containsExactly(b.life);
    }

    @Test
    void aMemberThatConfirmsLateIsNotExcluded() {
        cluster.net.cut("a", "b");
        cluster.view.hasMajority = false;
        CompletableFuture<Boolean> subscribed = a.subscribe("t", "s");
        cluster.timers.advance(TestNode.CONFIRM);
        cluster.net.mend("a", "b");
        cluster.settle();
        assertThat(subscribed).isCompletedWithValue(true);
        cluster.view.hasMajority = true;
        cluster.timers.advance(TestNode.GIVEN_UP);
        assertThat(a.members.excluded).isEmpty();
    }

    /** The others have excluded it: its own waits say nothing about them. */
    @Test
    void aNodeThatHasLapsedMeanwhileExcludesNobody() {
        cluster.net.cut("a", "b");
        cluster.view.hasMajority = false;
        CompletableFuture<Boolean> subscribed = a.subscribe("t", "s");
        cluster.timers.advance(TestNode.CONFIRM);
        a.members.epoch++;
        cluster.view.hasMajority = true;
        cluster.timers.advance(TestNode.GIVEN_UP);
        assertThat(subscribed).isCompletedExceptionally();
        assertThat(a.members.excluded).isEmpty();
    }

    @Test
    void theFiltersOfANodeGoWithItOnceThatIsAgreed() {
        a.subscribe("t", "s");
        cluster.settle();
        cluster.view.hasMajority = false;
        cluster.net.kill("a");
        cluster.timers.advance(Duration.ofMillis(10));
        CompletableFuture<DistOutcome> first = b.publish("t", Qos.AT_LEAST_ONCE, "1");
        cluster.timers.advance(SilentNode.SERVED_AGAIN);
        assertThat(first)
                .as("the lost node may be the leader of the members' range")
                .isNotDone();

        cluster.view.hasMajority = true;
        CompletableFuture<DistOutcome> second = b.publish("t", Qos.AT_LEAST_ONCE, "2");
        cluster.timers.advance(ExclusionRequests.AGAIN);
        assertThat(first).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(second).isCompletedWithValue(DistOutcome.DELIVERED);
        cluster.timers.advance(RemoteFilters.RETRY);
        assertThat(b.publish("t", Qos.AT_LEAST_ONCE, "3")).isCompletedWithValue(DistOutcome.NO_MATCH);
        assertThat(a.live).isEmpty();
    }

    @Test
    void aClosedNodeExcludesNobodyWhenItsLinksEnd() {
        a.subscribe("t", "s");
        cluster.settle();
        b.worker.close();
        cluster.net.end("a", "b", "b stops");
        cluster.timers.advance(Duration.ofSeconds(1));
        assertThat(b.members.excluded).isEmpty();
        assertThat(a.members.excluded).containsExactly(b.life);
    }

    @Test
    void heartbeatsAreForOneLifeOfAMember() {
        AgreedMember lapse = new AgreedMember(new NodeLife("c", 4), MemberState.LAPSED, 6);
        Heartbeat full = new Heartbeat(7, -3, 5, true, Set.of(lapse));
        Heartbeat empty = new Heartbeat(0, 0, 0, false, Set.of());
        a.peers.beat(b.life, full);
        a.peers.beat(b.life, empty);
        a.peers.beat(new NodeLife("b", 9), full); // another life
        a.peers.beat(new NodeLife("none", 1), full);
        cluster.settle();
        assertThat(b.members.heard).containsExactly(Map.entry(a.life, full), Map.entry(a.life, empty));
    }

    @Test
    void whoJoinsKnowsEveryFilterThatWasPromisedWithoutIt() {
        TestNode c = new TestNode(cluster, "c", 1, () -> {
            throw new IllegalStateException();
        });
        cluster.net.join(c.links);
        cluster.settle();
        cluster.net.cut("a", "c");
        a.subscribe("t", "s");
        cluster.settle(); // promised: c was no member
        cluster.view.join(c.life);
        CompletableFuture<Void> learned = c.peers.learnAllOf(a.life);
        cluster.settle();
        assertThat(learned).isNotDone();
        cluster.net.mend("a", "c");
        cluster.settle();
        assertThat(learned).isCompleted();
        c.members.setFresh(true);
        c.publish("t", Qos.AT_LEAST_ONCE, "1");
        cluster.settle();
        assertThat(a.received("s")).containsExactly("1");
    }

    @Test
    void aMemberIsLearntThroughTheNextLinkAndNotWhenItLivesNoMore() {
        CompletableFuture<Void> notYet = a.peers.learnAllOf(new io.godwit.dist.member.view.NodeLife("c", 2));
        CompletableFuture<Void> before = a.peers.learnAllOf(new io.godwit.dist.member.view.NodeLife("c", 1));
        cluster.settle();
        assertThat(notYet).isNotDone();
        cluster.serving("c", 2);
        cluster.settle();
        assertThat(notYet).isCompleted();
        assertThat(before).isCompletedExceptionally();
    }

    @Test
    void aPeerThatDoesNotKeepToTheProtocolIsOver() {
        FilterChange change = FilterChange.newBuilder()
                .setTenant("default")
                .setFilter("t")
                .setMembers(1)
                .build();
        MemberChange member = MemberChange.newBuilder()
                .setTenant("default")
                .setFilter("$share/g/t")
                .setClientId("c")
                .build();
        assertThat(abandonedBy(ControlFrames.encode(changes(nextOf("a").addMembers(member))), Lane.CONTROL))
                .as("the end of what was not reported is ignored")
                .isFalse();
        for (PeerFrame frame : List.of(
                PeerFrame.getDefaultInstance(),
                changes(FilterChanges.newBuilder().setNumber(7).addChanges(change)),
                changes(nextOf("a").addChanges(change.toBuilder().setFilter("a/#/b"))),
                changes(nextOf("a").addChanges(change.toBuilder().setTenant(" "))),
                changes(nextOf("a").addChanges(change.toBuilder().setMembers(-1))),
                changes(nextOf("a").addMembers(member.toBuilder().setFilter("t"))),
                changes(nextOf("a").addMembers(member.toBuilder().setFilter("$exclusive/t"))),
                changes(nextOf("a").addMembers(member.toBuilder().setFilter("$share/g/a/#/b"))),
                changes(nextOf("a").addMembers(member.toBuilder().setFilter(""))),
                changes(nextOf("a").addMembers(member.toBuilder().setTenant(" "))),
                changes(nextOf("a").addMembers(member.toBuilder().setClientId(""))),
                PeerFrame.newBuilder()
                        .setBarrierDone(
                                io.godwit.dist.wire.BarrierDone.newBuilder().setNumber(3))
                        .build())) {
            assertThat(abandonedBy(ControlFrames.encode(frame), Lane.CONTROL)).isTrue();
        }
        assertThat(abandonedBy(new byte[0], Lane.CONTROL)).isTrue();
        assertThat(abandonedBy(new byte[] {1, -1, -1}, Lane.CONTROL)).isTrue();
        assertThat(abandonedBy(new byte[ControlFrames.MAX_BYTES + 1], Lane.CONTROL))
                .isTrue();
        assertThat(abandonedBy(new byte[] {1, 2, 3}, Lane.LIVE)).isTrue();
    }

    private static FilterChanges.Builder nextOf(String ignored) {
        return FilterChanges.newBuilder().setNumber(1); // after the empty list
    }

    private static PeerFrame changes(FilterChanges.Builder changes) {
        return PeerFrame.newBuilder().setFilters(changes).build();
    }

    private static boolean abandonedBy(byte[] frame, Lane lane) {
        TestNode.Cluster pair = new TestNode.Cluster();
        TestNode honest = pair.serving("honest", 1);
        TestNode other = pair.serving("other", 1);
        pair.settle();
        Peer peer = Objects.requireNonNull(other.links.peer("honest"));
        peer.send(lane, frame);
        pair.settle();
        return honest.links.peer("other") == null;
    }
}
