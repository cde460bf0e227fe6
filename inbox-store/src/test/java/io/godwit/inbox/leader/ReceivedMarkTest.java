package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.format.MapWrites;
import io.godwit.inbox.format.MutationCodec;
import io.godwit.inbox.format.Progress;
import io.godwit.inbox.leader.queue.Batch;
import io.godwit.inbox.local.InsertCall;
import io.godwit.inbox.local.InsertParts;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.coprocessor.Proposal;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** PUBREL is sent only after a batch with the mark of the PUBREC is applied, whichever batches fail. */
class ReceivedMarkTest {
    private final RangeException busy = new RangeException(RangeException.Cause.OVERLOADED, "the log was busy");

    private final StepContext context = new StepContext();
    private final InboxLeader leader = context.lead();
    private final InboxId id =
            new InboxId(InboxFixture.info("a").tenant(), InboxFixture.info("a").clientId());
    private final byte[] prefix = InboxKeys.prefix(id.tenant(), id.clientId());
    private final TestConnection connection = new TestConnection();
    private long sequence;

    @BeforeEach
    void sendAMessage() {
        CompletableFuture<AttachReply> reply = attach(connection);
        context.settle();
        connection.reply = reply.join();
        connection.attachment().request(10);
        insert(new byte[1]);
        context.settle();
        InboxMessage sent = connection.take().get(0);
        sequence = sent.sequence();
    }

    @Test
    void theBatchThatIsWaitedForHoldsTheMarkThoughOneBeforeItTakesItAlong() {
        // full, so that the PUBREC goes into the next one, but not sealed yet
        insert(new byte[Batch.FULL_BYTES]);
        CompletableFuture<Void> received = connection.attachment().received(sequence);
        context.runTasks();
        Proposal full = context.next();
        Proposal waitedFor = context.next();
        StepContext.seal(full);
        Progress told = progressIn(StepContext.seal(waitedFor));

        full.failed(busy);
        context.runTasks();
        assertThat(received).isNotDone();
        context.apply(waitedFor);
        assertThat(received).isCompleted();
        assertThat(told.isReceived(sequence)).isTrue();
    }

    @Test
    void theConnectionThatFollowsTellsOfTheMarkItself() {
        CompletableFuture<Void> received = connection.attachment().received(sequence);
        context.runTasks();
        Proposal mark = context.next();
        StepContext.seal(mark);
        TestConnection next = new TestConnection();
        CompletableFuture<AttachReply> reply = attach(next);
        context.runTasks();
        Proposal attach = context.next();
        Progress told = progressIn(StepContext.seal(attach));

        mark.failed(busy);
        context.apply(attach);
        assertThat(received).isCompletedExceptionally();
        next.reply = reply.join();
        next.attachment().request(10);
        context.runTasks();
        assertThat(next.delivered).extracting(InboxMessage::released).containsExactly(true);
        assertThat(told.isReceived(sequence)).isTrue();
    }

    @Test
    void aSessionThatIsGivenUpAnswersNothingThatTheStoreWasNotTold() {
        insert(new byte[Batch.FULL_BYTES]);
        connection.attachment().subscribe(List.of(InboxFixture.subscription("x")));
        context.runTasks();
        Proposal full = context.next();
        Proposal subscription = context.next();
        StepContext.seal(full);
        StepContext.seal(subscription);
        CompletableFuture<Void> received = connection.attachment().received(sequence);
        context.runTasks();
        Proposal waitedFor = context.next();
        subscription.failed(busy); // the state in memory is discarded
        StepContext.seal(waitedFor);
        context.apply(waitedFor);
        assertThat(received).isCompletedExceptionally();
    }

    private CompletableFuture<AttachReply> attach(TestConnection listener) {
        AttachRequest request = new AttachRequest(InboxFixture.info("a"), false, 60, null);
        return StepContext.client(leader).attach(request, listener);
    }

    private void insert(byte[] payload) {
        Message message = new Message("t", payload, Qos.EXACTLY_ONCE, false, 0, MessageProperties.NONE);
        InsertRequest request = InboxFixture.request(
                message, List.of(InboxFixture.target("a", connection.reply.incarnation(), Qos.EXACTLY_ONCE)));
        leader.handle(new InsertCall(request, new int[] {0}, new InsertParts(1, 1, Answer.NOBODY), true));
        context.runTasks();
    }

    private Progress progressIn(byte[] mutation) {
        Map<String, byte[]> written = new HashMap<>();
        MutationCodec.apply(new MapWrites(written), mutation);
        byte[] value = written.get(MapWrites.name(prefix, InboxKeys.suffix(InboxKeys.PROGRESS)));
        assertThat(value).as("the batch contains the progress").isNotNull();
        return Progress.decode(value);
    }
}
