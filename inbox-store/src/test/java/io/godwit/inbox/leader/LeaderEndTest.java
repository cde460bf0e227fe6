package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.kv.client.RangeException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class LeaderEndTest {
    private static final InboxId ID = InboxId.of(InboxFixture.info("a"));

    @Test
    void whatWasNotEvenProposedFailsWhenTheLeadershipEnds() {
        StepContext context = new StepContext();
        InboxLeader leader = context.lead();
        CompletableFuture<AttachReply> call = attach(leader);
        context.tasks.remove().run(); // loads; the batch that it fills is proposed at the end of the task
        assertThat(call).isNotDone();
        CompletableFuture<AttachReply> waiting = attach(leader);

        leader.stop(new RangeException(RangeException.Cause.CLOSED, "stepped down"));
        assertThat(call).isCompletedExceptionally();
        assertThat(waiting).isCompletedExceptionally();
    }

    /** After a split the right range may have a leader while the leader of the whole range has not stopped. */
    @Test
    void aLeaderThatComesEarlyWaitsForWhatTheOneBeforeLeaves() {
        StepContext context = new StepContext();
        InboxLeader before = context.lead();
        CompletableFuture<AttachReply> call = attach(before);
        context.settle();
        assertThat(call).isCompleted();
        before.settle();

        InboxLeader next = context.lead();
        CompletableFuture<AttachReply> early = attach(next);
        context.settle();
        assertThat(early).isNotDone();
        assertThat(context.timers).hasSize(1);
        before.stop(new RangeException(RangeException.Cause.MOVED, "split"));
        context.timers.remove().run();
        context.settle();
        assertThat(early).isCompleted();
    }

    @Test
    void whatALeaderWasAboutToLeaveIsNotWaitedForWhenItFails() {
        StepContext context = new StepContext();
        InboxLeader leader = context.lead();
        attach(leader);
        context.settle();
        leader.settle();
        assertThat(context.moved.isComing(ID)).isTrue();
        leader.stop(new RangeException(RangeException.Cause.CLOSED, "stepped down"));
        assertThat(context.moved.isComing(ID)).isFalse();
    }

    /** Before the leader of a child range may ask; or once it knows that it has been replaced. */
    @Test
    void whatALeaderPublishesIsGivenUpAsSoonAsAnotherMayPublishIt() {
        StepContext context = new StepContext();
        InboxLeader settling = context.lead();
        assertThat(settling.untilOver().isAbandoned()).isFalse();
        settling.settle();
        assertThat(settling.untilOver().isAbandoned()).isTrue();

        InboxLeader replaced = context.lead();
        assertThat(replaced.untilOver().isAbandoned()).isFalse();
        replaced.stop(new RangeException(RangeException.Cause.CLOSED, "stepped down"));
        assertThat(replaced.untilOver().isAbandoned()).isTrue();
    }

    private static CompletableFuture<AttachReply> attach(InboxLeader leader) {
        AttachRequest request = new AttachRequest(InboxFixture.info("a"), false, 60, null);
        return StepContext.client(leader).attach(request, new TestConnection());
    }
}
