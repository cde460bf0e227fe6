package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.Will;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.coprocessor.Proposal;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a following connection waits for. */
class TakeoverTest {
    private static final Will WILL =
            new Will(new Message("w", new byte[1], Qos.AT_LEAST_ONCE, false, 0, MessageProperties.NONE), 0);

    private final RangeException busy = new RangeException(RangeException.Cause.OVERLOADED, "asked for by the test");
    private final StepContext context = new StepContext();
    private InboxLeader leader = context.lead();
    private final InboxId id =
            new InboxId(InboxFixture.info("a").tenant(), InboxFixture.info("a").clientId());
    private final Listener first = new Listener();
    private final Listener second = new Listener();

    /** Counts what was decided. */
    private static final class Listener extends TestConnection {
        int attached;
        int detached;

        @Override
        public void attaching() {
            attached++;
        }

        @Override
        public void detaching() {
            detached++;
        }
    }

    private CompletableFuture<AttachReply> attach(
            Listener listener, long expiry, boolean isClean, @Nullable Will will) {
        AttachRequest request = new AttachRequest(InboxFixture.info("a"), isClean, expiry, will);
        CompletableFuture<AttachReply> answer = StepContext.client(leader).attach(request, listener);
        context.runTasks();
        return answer;
    }

    private void begin(@Nullable Will will) {
        CompletableFuture<AttachReply> reply = attach(first, 60, false, will);
        assertThat(first.attached).as("the attach is decided").isEqualTo(1);
        assertThat(reply).as("the attach is not committed yet").isNotDone();
        context.settle();
        first.reply = reply.join();
    }

    @Test
    void whatFollowsAtOnceOnTheSameTermsWaitsForNoCommit() {
        begin(null);
        CompletableFuture<Void> left = first.attachment().detach(-1, true);
        context.runTasks();
        assertThat(first.detached).as("the detach is decided").isEqualTo(1);
        CompletableFuture<AttachReply> followed = attach(second, 60, false, null);

        assertThat(followed).isCompleted();
        assertThat(followed.join().sessionPresent()).isTrue();
        assertThat(followed.join().incarnation()).isEqualTo(first.reply.incarnation());
        assertThat(left).as("the detach is not committed yet").isNotDone();
        context.settle();
        assertThat(left).isCompleted();
        assertThat(second.ends).isEmpty();
    }

    /** The next leader would end a connection it does not know, though the client's node is well. */
    @Test
    void inAClusterWhatFollowsAtOnceWaitsForTheCommit() {
        leader = context.leadInCluster();
        begin(null);
        CompletableFuture<AttachReply> followed = attach(second, 60, false, null);
        assertThat(second.attached).as("the takeover is decided").isEqualTo(1);
        assertThat(followed).as("the takeover is not committed yet").isNotDone();
        context.settle();
        assertThat(followed).isCompleted();
    }

    /** A node must know that before it changes routes with the number of the attachment. */
    @Test
    void anUnsubscriptionOfNothingWaitsUntilTheAttachmentIsCommitted() {
        begin(null);
        second.reply = attach(second, 60, false, null).join();
        CompletableFuture<List<Boolean>> committed = second.attachment().unsubscribe(List.of());
        context.runTasks();
        assertThat(committed).isNotDone();
        context.settle();
        assertThat(committed).isCompletedWithValue(List.of());

        CompletableFuture<List<Boolean>> again = second.attachment().unsubscribe(List.of());
        CompletableFuture<AttachReply> followed = attach(first, 60, false, null);
        Proposal proposal = context.next();
        StepContext.seal(proposal);
        proposal.failed(busy);
        context.runTasks();
        assertThat(followed).isCompleted();
        assertThat(again).isCompletedExceptionally();
    }

    @Test
    void aConnectionThatIsCutOffIsFollowedAtOnceToo() {
        begin(null);
        assertThat(attach(second, 60, false, null)).isCompleted();
        assertThat(first.ends).hasSize(1);
    }

    @Test
    void otherTermsWaitForTheCommit() {
        begin(null);
        assertThat(attach(second, 61, false, null)).as("with another expiry").isNotDone();
        assertThat(attach(first, 61, false, null))
                .as("the new expiry is not stored yet")
                .isNotDone();
        context.settle();
        assertThat(attach(first, 61, false, WILL)).as("with a will").isNotDone();
        context.settle();
        assertThat(attach(first, 61, false, null))
                .as("without the will of before")
                .isNotDone();
        context.settle();
        assertThat(attach(first, 61, true, null)).as("with a clean start").isNotDone();
    }

    @Test
    void aConnectionWaitsForWhatTheOneBeforeChangedAtItsEnd() {
        begin(null);
        first.attachment().detach(61, false);
        context.runTasks();
        assertThat(attach(second, 61, false, null)).isNotDone();
    }

    @Test
    void aSessionThatWasLeftLongAgoIsStoredAsAttachedFirst() {
        begin(null);
        first.attachment().detach(-1, false);
        context.settle();
        context.nowMillis += 1000;
        assertThat(attach(second, 60, false, null)).isNotDone();
    }

    @Test
    void whoIsLetInBeforeTheCommitIsSentAwayWhenThatFails() {
        begin(null);
        CompletableFuture<AttachReply> followed = attach(second, 60, false, null);
        assertThat(followed).isCompleted();
        Proposal proposal = context.next();
        StepContext.seal(proposal);
        proposal.failed(busy);
        context.runTasks();
        assertThat(second.ends).hasSize(1);
    }

    /** Without the wait the answer would be that there never was a session. */
    @Test
    void aDeletionWaitsForTheEndThatIsUnderWay() {
        begin(null);
        first.attachment().detach(0, false);
        context.runTasks();
        CompletableFuture<Boolean> deletion = StepContext.client(leader).delete(id.tenant(), id.clientId());
        context.runTasks();
        assertThat(deletion).isNotDone();
        Proposal end = context.next();
        StepContext.seal(end);
        end.failed(busy);
        context.runTasks();
        assertThat(deletion).isCompletedExceptionally();
    }
}
