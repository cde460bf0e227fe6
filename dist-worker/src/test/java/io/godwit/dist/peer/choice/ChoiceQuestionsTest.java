package io.godwit.dist.peer.choice;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.link.Lane;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.member.view.NodeLife;
import io.godwit.dist.peer.TestNode;
import io.godwit.dist.peer.TwoNodes;
import io.godwit.dist.peer.link.ControlFrames;
import io.godwit.dist.wire.Choice;
import io.godwit.dist.wire.ChoiceAnswer;
import io.godwit.dist.wire.ChoiceQuestion;
import io.godwit.dist.wire.PeerFrame;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.NodeWait;
import io.godwit.plugin.message.Qos;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Node b resumes messages, and asks node a, which is slow or breaks the protocol. */
class ChoiceQuestionsTest extends TwoNodes {
    private static final String SHARED = "$share/g/t";

    private long token;

    @BeforeEach
    void hasAMember() {
        a.subscribe(SHARED, "s");
        cluster.settle();
    }

    @AfterEach
    void nothingWaits() {
        assertThat(a.peers.waitingForGroups()).isZero();
        assertThat(b.peers.waitingForGroups()).isZero();
    }

    private CompletableFuture<DistOutcome> resume() {
        long number = token++;
        return b.publish("t", Qos.EXACTLY_ONCE, "m" + number, new DeliveryToken("o", number, 0, true));
    }

    private List<CompletableFuture<DistOutcome>> resume(int count) {
        List<CompletableFuture<DistOutcome>> outcomes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            outcomes.add(resume());
        }
        cluster.settle();
        return outcomes;
    }

    /** The node does not know the view that the question names. */
    private void fallBehind(TestNode node) {
        node.members.knows = 0;
    }

    private void catchUp(TestNode node) {
        node.members.knows = Long.MAX_VALUE;
        cluster.timers.advance(QuestionsAhead.LOOK);
        cluster.settle();
    }

    private void send(TestNode from, TestNode to, PeerFrame.Builder frame) {
        Objects.requireNonNull(from.links.peer(to.life.nodeId()))
                .send(Lane.CONTROL, ControlFrames.encode(frame.build()));
    }

    private static PeerFrame.Builder part(long number, int choices) {
        ChoiceAnswer.Builder answer =
                ChoiceAnswer.newBuilder().setNumber(number).setMore(true);
        for (int i = 0; i < choices; i++) {
            answer.addChoices(Choice.newBuilder().setFilter("$share/g/" + "x".repeat(60_000)));
        }
        return PeerFrame.newBuilder().setChoiceAnswer(answer);
    }

    private static PeerFrame.Builder question(long number, String origin) {
        return PeerFrame.newBuilder()
                .setChoiceQuestion(ChoiceQuestion.newBuilder()
                        .setNumber(number)
                        .setOrigin(origin)
                        .setViewRevision(Long.MAX_VALUE));
    }

    private boolean areLinked() {
        return a.links.peer("b") != null && b.links.peer("a") != null;
    }

    /** Each change of the members starts a new round. */
    @Test
    void aMessageWaitsForItsTimeAtMostHoweverOftenTheMembersChange() {
        cluster.net.cut("a", "b");
        CompletableFuture<DistOutcome> resumed = resume();
        cluster.settle();
        for (int i = 0; i < 5; i++) {
            cluster.timers.advance(Duration.ofSeconds(4));
            NodeLife passing = new NodeLife("passing", i);
            cluster.view.join(passing);
            assertThat(b.members.exclude(passing, "for the test")).isCompleted();
            cluster.net.mend("a", "b");
            assertThat(cluster.net.deliverOne("a", "b", Lane.CONTROL)).isTrue();
            cluster.net.cut("a", "b");
            cluster.settle();
            assertThat(resumed).isNotDone();
        }
        cluster.timers.advance(TestNode.SHARED_CHOICE.minusSeconds(20).minusMillis(1));
        assertThat(resumed).isNotDone();
        assertThat(b.overCount(NodeWait.SHARED_CHOICE)).isZero();
        cluster.timers.advance(Duration.ofMillis(1));
        assertThat(resumed).isCompletedWithValue(DistOutcome.FAILED);
        assertThat(b.overCount(NodeWait.SHARED_CHOICE)).isOne();
        assertThat(b.events)
                .containsExactly(new BrokerEvent.WaitRanOut(
                        NodeWait.SHARED_CHOICE,
                        TestNode.SHARED_CHOICE,
                        "what was chosen for a shared group, by [" + a.life + ']'));
        assertThat(b.peers.waitingForGroups()).isZero();
        cluster.net.mend("a", "b");
        cluster.settle();
        assertThat(areLinked()).as("the late answer does not end the link").isTrue();
        assertThat(a.received("s")).isEmpty();
        cluster.timers.advance(Duration.ofSeconds(60));
        assertThat(cluster.view.has(a.life))
                .as("a is not excluded, because no question waits for it")
                .isTrue();
    }

    @Test
    void anAnswerWithoutEndIsAgainstTheProtocol() {
        fallBehind(a);
        CompletableFuture<DistOutcome> resumed = resume();
        cluster.settle();
        for (int i = 0; i < 5; i++) {
            send(a, b, part(0, 10));
            cluster.settle();
            assertThat(areLinked()).isTrue();
        }
        for (int i = 0; i < 3; i++) {
            if (areLinked()) {
                send(a, b, part(0, 10));
                cluster.settle();
            }
        }
        assertThat(areLinked()).isFalse();
        cluster.timers.advance(TestNode.CONFIRM);
        assertThat(resumed).isDone();
    }

    /** It takes no memory, so no other limit would end it. */
    @Test
    void aPartWithoutAChoiceIsAgainstTheProtocol() {
        fallBehind(a);
        CompletableFuture<DistOutcome> resumed = resume();
        cluster.settle();
        send(a, b, part(0, 0));
        cluster.settle();
        assertThat(areLinked()).isFalse();
        cluster.timers.advance(TestNode.CONFIRM);
        assertThat(resumed).isDone();
    }

    @Test
    void anAnswerToNoQuestionIsAgainstTheProtocol() {
        send(
                a,
                b,
                PeerFrame.newBuilder().setChoiceAnswer(ChoiceAnswer.newBuilder().setNumber(0)));
        cluster.settle();
        assertThat(areLinked()).isFalse();
    }

    @Test
    void aPeerThatAsksWithoutWaitingForAnswersIsAgainstTheProtocol() {
        for (int i = 0; i < OpenQuestions.MOST_AHEAD; i++) {
            send(a, b, question(i, "o"));
        }
        cluster.settle();
        assertThat(areLinked()).isTrue();
        send(a, b, question(OpenQuestions.MOST_AHEAD, "o"));
        cluster.settle();
        assertThat(areLinked()).isFalse();
    }

    @Test
    void questionsThatWaitAreBoundedInBytesToo() {
        for (int i = 0; i < 17; i++) {
            send(a, b, question(i, "o".repeat(60_000)));
        }
        cluster.settle();
        assertThat(areLinked()).isTrue();
        send(a, b, question(17, "o".repeat(60_000)));
        cluster.settle();
        assertThat(areLinked()).isFalse();
    }

    /** Questions beyond the limit wait at the asking node. */
    @Test
    void manyQuestionsToAPeerThatIsBehindAreAnsweredOnceItIsNot() {
        fallBehind(a);
        List<CompletableFuture<DistOutcome>> resumed = resume(3 * OpenQuestions.MOST_AHEAD);
        assertThat(areLinked()).isTrue();
        assertThat(b.peers.waitingForGroups()).isEqualTo(3 * OpenQuestions.MOST_AHEAD);
        assertThat(resumed).noneMatch(CompletableFuture::isDone);
        catchUp(a);
        assertThat(resumed).allSatisfy(each -> assertThat(each).isCompletedWithValue(DistOutcome.DELIVERED));
        assertThat(a.received("s")).hasSize(3 * OpenQuestions.MOST_AHEAD).doesNotHaveDuplicates();
    }

    @Test
    void longQuestionsWaitForEachOtherToo() {
        fallBehind(a);
        List<CompletableFuture<DistOutcome>> resumed = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            resumed.add(b.publish("t", Qos.EXACTLY_ONCE, "m" + i, new DeliveryToken("o".repeat(60_000), i, 0, true)));
        }
        cluster.settle();
        assertThat(areLinked()).isTrue();
        catchUp(a);
        assertThat(resumed).allSatisfy(each -> assertThat(each).isCompletedWithValue(DistOutcome.DELIVERED));
    }

    /** The peer may still have them, and accepts no more. */
    @Test
    void questionsThatAreGivenUpKeepTheirPlaceUntilTheyAreAnswered() {
        fallBehind(a);
        cluster.view.hasMajority = false;
        List<CompletableFuture<DistOutcome>> resumed = resume(OpenQuestions.MOST_AHEAD + 500);
        cluster.timers.advance(TestNode.SHARED_CHOICE);
        assertThat(resumed).allSatisfy(each -> assertThat(each).isCompletedWithValue(DistOutcome.FAILED));
        assertThat(b.peers.waitingForGroups()).isZero();

        CompletableFuture<DistOutcome> next = resume();
        cluster.settle();
        assertThat(areLinked()).isTrue();
        assertThat(next).isNotDone();
        catchUp(a);
        assertThat(next).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(a.received("s")).as("messages that failed are not sent").hasSize(1);
        assertThat(areLinked()).isTrue();
    }

    /** They are asked again of the node's next incarnation, and all are answered. */
    @Test
    void questionsOfAPeerThatIsOverAreAskedOfTheNext() {
        fallBehind(a);
        List<CompletableFuture<DistOutcome>> resumed = resume(OpenQuestions.MOST_AHEAD + 500);
        cluster.view.hasMajority = false; // else the end of the link excludes the node
        cluster.net.end("a", "b", "for the test");
        cluster.net.link("a", "b");
        cluster.settle();
        assertThat(b.peers.waitingForGroups()).isEqualTo(OpenQuestions.MOST_AHEAD + 500);
        catchUp(a);
        assertThat(resumed).allSatisfy(each -> assertThat(each).isCompletedWithValue(DistOutcome.DELIVERED));
        assertThat(areLinked()).isTrue();
    }
}
