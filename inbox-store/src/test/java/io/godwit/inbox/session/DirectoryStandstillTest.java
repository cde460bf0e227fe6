package io.godwit.inbox.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.link.Lane;
import io.godwit.inbox.session.DirectoryStage.Connection;
import io.godwit.inbox.session.DirectoryStage.Node;
import io.godwit.inbox.session.port.DirectoryView;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A node receives frames, so its links confirm them, but does not handle them, because its turns stand still. Only its
 * own messages count, not the arrival of a frame.
 */
class DirectoryStandstillTest {
    private static final DirectoryView ALL = DirectoryStage.view(1, "a", "b", "c");

    private final DirectoryStage stage = DirectoryStage.of("a", "b", "c");
    private final Node a = stage.node("a");
    private final Node b = stage.node("b");
    private final Node c = stage.node("c");

    /** All frames arrive; the turns of node a stand still. */
    private void settleButA() {
        boolean isMoving = true;
        while (isMoving) {
            isMoving = false;
            for (Node node : List.of(b, c)) {
                while (node.turn()) {
                    isMoving = true;
                }
            }
            for (String from : stage.nodes.keySet()) {
                for (String to : stage.nodes.keySet()) {
                    while (stage.net.deliverOne(from, to, Lane.CONTROL)) {
                        isMoving = true;
                    }
                }
            }
        }
    }

    private void pass(Duration time) {
        stage.nowNanos += time.toNanos();
        b.directory.tick();
        c.directory.tick();
        settleButA();
    }

    @Test
    void anIdIsTakenOverWhenItsConnectionHasLeftAndNotWhenThatWasAskedFor() {
        String id = DirectoryStage.idOwnedBy("c", ALL);
        Connection first = a.connect(id);
        stage.settle();
        assertThat(first.has()).isTrue();
        Connection second = b.connect(id);
        settleButA();
        pass(Duration.ofSeconds(5));
        assertThat(a.turns).as("the request to give up has arrived").isNotEmpty();
        assertThat(first.isToldToGiveUp).isFalse();
        assertThat(second.answer).isNotDone();

        stage.settle(); // it goes on
        assertThat(first.isToldToGiveUp).isTrue();
        assertThat(second.has()).isFalse();
        first.release();
        stage.settle();
        assertThat(second.has()).isTrue();
    }

    @Test
    void aConnectThatIsNotAnsweredFailsThoughItsFrameHasArrived() {
        Connection waiting = b.connect(DirectoryStage.idOwnedBy("a", ALL));
        settleButA();
        assertThat(a.turns).as("the claim has arrived").isNotEmpty();
        pass(Duration.ofSeconds(9));
        assertThat(waiting.answer).isNotDone();
        pass(Duration.ofSeconds(1));
        assertThat(waiting.answer).isCompletedExceptionally();
        stage.settle();
        assertThat(a.directory.sizes().owned())
                .as("the owner has forgotten the claim")
                .isZero();
    }

    /** The others agree to exclude it; frames that had arrived there do not count. */
    @Test
    void whoDoesNotEnrolIsReportedAndWhatItHasNotHandledIsLost() {
        String id = DirectoryStage.idOwnedBy("c", ALL);
        Connection first = a.connect(id);
        stage.settle();
        assertThat(first.has()).isTrue();
        DirectoryView again = DirectoryStage.view(2, "a", "b", "c");
        b.learn(again);
        c.learn(again);
        settleButA();
        Connection second = b.connect(id);
        settleButA();
        pass(Duration.ofSeconds(3));
        assertThat(c.missing).contains(DirectoryStage.life("a"));
        assertThat(second.has()).isFalse();

        DirectoryView without = DirectoryStage.view(3, "b", "c");
        b.learn(without);
        c.learn(without);
        settleButA();
        assertThat(second.has()).isTrue();
        a.learn(without);
        Connection late = a.connect(id);
        stage.settle();
        assertThat(late.has()).as("a is no longer a member").isFalse();
        assertThat(second.isToldToGiveUp).isFalse();
    }
}
