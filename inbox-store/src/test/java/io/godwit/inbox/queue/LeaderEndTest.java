package io.godwit.inbox.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.AttachRequest;
import io.godwit.kv.client.RangeException;
import org.junit.jupiter.api.Test;

class LeaderEndTest {
    @Test
    void whatWasNotEvenProposedFailsWhenTheLeadershipEnds() {
        StepContext context = new StepContext();
        InboxLeader leader = context.lead();
        SessionCall.Attach call = attach();
        leader.handle(call);
        context.tasks.remove().run(); // loads; the batch that it fills is proposed at the end of the turn
        assertThat(call.answer).isNotDone();
        SessionCall.Attach waiting = attach();
        leader.handle(waiting);

        leader.stop(new RangeException(RangeException.Cause.CLOSED, "stepped down"));
        assertThat(call.answer).isCompletedExceptionally();
        assertThat(waiting.answer).isCompletedExceptionally();
    }

    /** Of a range that was cut in two the right part may be led while the leader of the whole has not stopped. */
    @Test
    void aLeaderThatComesEarlyWaitsForWhatTheOneBeforeLeaves() {
        StepContext context = new StepContext();
        InboxLeader before = context.lead();
        SessionCall.Attach call = attach();
        before.handle(call);
        context.settle();
        assertThat(call.answer).isCompleted();
        before.settle();

        InboxLeader next = context.lead();
        SessionCall.Attach early = attach();
        next.handle(early);
        context.settle();
        assertThat(early.answer).isNotDone();
        assertThat(context.timers).hasSize(1);
        before.stop(new RangeException(RangeException.Cause.MOVED, "split"));
        context.timers.remove().run();
        context.settle();
        assertThat(early.answer).isCompleted();
    }

    @Test
    void whatALeaderWasAboutToLeaveIsNotWaitedForWhenItFails() {
        StepContext context = new StepContext();
        InboxLeader leader = context.lead();
        SessionCall.Attach call = attach();
        leader.handle(call);
        context.settle();
        leader.settle();
        assertThat(context.moved.isComing(call.id())).isTrue();
        leader.stop(new RangeException(RangeException.Cause.CLOSED, "stepped down"));
        assertThat(context.moved.isComing(call.id())).isFalse();
    }

    private static SessionCall.Attach attach() {
        InboxId id = new InboxId(
                InboxFixture.info("a").tenant(), InboxFixture.info("a").clientId());
        AttachRequest request = new AttachRequest(InboxFixture.info("a"), false, 60, null);
        return new SessionCall.Attach(id, InboxKeys.prefix(id.tenant(), id.clientId()), request, new TestConnection());
    }
}
