package io.godwit.dist.peer.choice;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.link.Lane;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.peer.TestNode;
import io.godwit.dist.peer.filter.LiveFilters;
import io.godwit.plugin.message.Qos;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A node chooses the live members of another one for a QoS 2 message, and falls silent. The publisher resumes the
 * message on a third node, the others exclude the silent one, and its link then delivers the old message.
 */
class ExcludedChoiceTest {
    private static final String SHARED = "$share/g/t";

    private final TestNode.Cluster cluster = new TestNode.Cluster();
    private final TestNode a = cluster.serving("a", 1);
    private final TestNode mute = cluster.serving("b", 1);
    private final TestNode c = cluster.serving("c", 1);

    @BeforeEach
    void hasChosen() {
        mute.members.epoch = cluster.view.since(mute.life);
        a.subscribe(SHARED, "s1");
        cluster.settle();
    }

    @AfterEach
    void nothingWaits() {
        assertThat(mute.peers.waitingForGroups()).isZero();
        assertThat(c.peers.waitingForGroups()).isZero();
    }

    private CompletableFuture<DistOutcome> publishMutely() {
        cluster.net.cut("b", "a");
        cluster.net.cut("b", "c");
        return mute.publish("t", Qos.EXACTLY_ONCE, "1", new DeliveryToken("o", 1, 0));
    }

    private CompletableFuture<DistOutcome> resume() {
        CompletableFuture<DistOutcome> resumed =
                c.publish("t", Qos.EXACTLY_ONCE, "1", new DeliveryToken("o", 1, 0, true));
        cluster.settle(); // all reachable members answer
        return resumed;
    }

    /** Then the third node chooses its own members. */
    private void membersOfAEnd() {
        a.unsubscribe(SHARED, "s1");
        cluster.settle();
        cluster.timers.advance(LiveFilters.LINGER.multipliedBy(2));
        cluster.settle();
    }

    private void exclude() {
        cluster.timers.advance(TestNode.CONFIRM);
        cluster.settle();
        assertThat(cluster.view.has(mute.life)).isFalse();
    }

    private void mend() {
        cluster.net.mend("b", "a");
        cluster.net.mend("b", "c");
        cluster.settle();
    }

    @Test
    void whatTheLinkOfAnExcludedNodeDeliversReachesNobody() {
        CompletableFuture<DistOutcome> first = publishMutely();
        c.subscribe(SHARED, "s2");
        membersOfAEnd();
        CompletableFuture<DistOutcome> resumed = resume();
        exclude();
        assertThat(resumed).isCompletedWithValue(DistOutcome.DELIVERED);
        a.subscribe(SHARED, "s3");
        cluster.settle();
        mend();
        assertThat(c.received("s2")).containsExactly("1");
        assertThat(a.received("s3")).isEmpty();
        assertThat(first).isCompletedWithValue(DistOutcome.FAILED);
        assertThat(mute.received("s2")).isEmpty();
    }

    /** It serves again when the link comes back: its earlier choices are void all the same. */
    @Test
    void whatANodeChoseBeforeItJoinedAgainReachesNobody() {
        CompletableFuture<DistOutcome> first = publishMutely();
        c.subscribe(SHARED, "s2");
        membersOfAEnd();
        CompletableFuture<DistOutcome> resumed = resume();
        exclude();
        cluster.view.join(mute.life);
        mute.members.epoch = cluster.view.since(mute.life);
        a.subscribe(SHARED, "s3");
        cluster.settle();
        mend();
        assertThat(resumed).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(first).isCompletedWithValue(DistOutcome.FAILED);
        assertThat(a.received("s3")).isEmpty();
        c.unsubscribe(SHARED, "s2");
        cluster.settle();
        CompletableFuture<DistOutcome> later = mute.publish("t", Qos.EXACTLY_ONCE, "2", new DeliveryToken("o", 2, 0));
        cluster.settle();
        assertThat(later).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(a.received("s3")).containsExactly("2");
    }

    /** It answered that there was no choice while the silent node was a member, and then learned of the choice. */
    @Test
    void allAreAskedAgainWhenOneWasExcludedMeanwhile() {
        CompletableFuture<DistOutcome> first = publishMutely();
        c.subscribe(SHARED, "s2");
        cluster.settle();
        CompletableFuture<DistOutcome> resumed = resume();
        cluster.net.mend("b", "a");
        cluster.net.deliverOne("b", "a", Lane.LIVE);
        assertThat(a.received("s1")).containsExactly("1");
        cluster.net.cut("b", "a");
        membersOfAEnd();
        exclude();
        assertThat(resumed).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(c.received("s2")).isEmpty();
        mend();
        assertThat(first).isDone();
        assertThat(a.received("s1")).containsExactly("1");
    }

    /** It accepts messages until it knows of the exclusion, and answers only then. */
    @Test
    void aNodeThatDoesNotKnowOfTheExclusionAnswersLater() {
        publishMutely();
        c.subscribe(SHARED, "s2");
        cluster.settle();
        a.members.knows = a.members.revision();
        CompletableFuture<DistOutcome> resumed = resume();
        exclude();
        assertThat(resumed).isNotDone();
        mend();
        assertThat(a.received("s1")).containsExactly("1");
        membersOfAEnd();
        assertThat(resumed).isNotDone();
        a.members.knows = Long.MAX_VALUE;
        cluster.timers.advance(QuestionsAhead.LOOK);
        cluster.settle();
        assertThat(resumed).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(c.received("s2")).isEmpty();
    }

    @Test
    void aNodeThatDoesNotKnowYetThatTheSenderServesTakesWhatItSends() {
        a.members.knows = cluster.view.since(mute.life) - 1;
        CompletableFuture<DistOutcome> published =
                mute.publish("t", Qos.EXACTLY_ONCE, "1", new DeliveryToken("o", 1, 0));
        cluster.settle();
        assertThat(published).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(a.received("s1")).containsExactly("1");
    }

    /** An older peer names no revision; and a message that is not a repeat has no choice that could be void. */
    @Test
    void messagesWithoutAChoiceAreAccepted() {
        cluster.net.cut("b", "a");
        CompletableFuture<DistOutcome> published = mute.publish("t", Qos.AT_LEAST_ONCE, "1");
        c.members.exclude(mute.life, "for the test");
        mend();
        assertThat(published).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(a.received("s1")).containsExactly("1");
    }
}
