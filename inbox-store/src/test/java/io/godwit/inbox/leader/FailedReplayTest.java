package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.ReplayOutcome;
import io.godwit.inbox.client.ReplayStep;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.format.ByteReader;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.format.MapWrites;
import io.godwit.inbox.format.MutationCodec;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.coprocessor.Proposal;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The log takes a batch but not the one before it: no position of a replay may be written that is after a message which
 * is not stored.
 */
class FailedReplayTest {
    private static final TopicFilter FILTER = new TopicFilter(null, "#");
    private final RangeException busy = new RangeException(RangeException.Cause.OVERLOADED, "the log was busy");

    private final StepContext context = new StepContext();
    private final InboxLeader leader = context.lead();
    private final InboxId id =
            new InboxId(InboxFixture.info("a").tenant(), InboxFixture.info("a").clientId());
    private final byte[] prefix = InboxKeys.prefix(id.tenant(), id.clientId());
    private final TestConnection connection = new TestConnection();
    private Proposal failing;
    private CompletableFuture<ReplayOutcome> first;

    /** The first message of a replay is in an entry whose fate the test decides. */
    @BeforeEach
    void sealTheFirst() {
        CompletableFuture<AttachReply> reply = attach(connection);
        context.settle();
        connection.reply = reply.join();
        connection.attachment().request(10);
        connection
                .attachment()
                .subscribe(List.of(new StoredSubscription(FILTER, Qos.EXACTLY_ONCE, false, false, 0, 0)));
        context.settle();
        first = step("", "1");
        context.runTasks();
        failing = context.next();
        assertThat(placeIn(StepContext.seal(failing))).isEqualTo("1");
    }

    @Test
    void theNextWaitsAndIsNotTaken() {
        CompletableFuture<ReplayOutcome> second = step("1", "2");
        context.runTasks();
        assertThat(second).isNotDone();
        failing.failed(busy);
        context.settle();
        assertThat(first).isCompletedExceptionally();
        assertThat(second).isCompletedWithValue(ReplayOutcome.BEHIND);

        step("", "1");
        context.runTasks();
        Proposal again = context.next();
        assertThat(placeIn(StepContext.seal(again))).isEqualTo("1");
        context.apply(again);
        step("1", "2");
        context.settle();
        assertThat(connection.delivered).hasSize(2);
    }

    /** This includes one that only shares the batch, because its answer waits for it. */
    @Test
    void whatWasPassedOverBehindItComesAgain() {
        failing.failed(busy);
        TopicFilter other = new TopicFilter(null, "other");
        connection.attachment().subscribe(List.of(new StoredSubscription(other, Qos.EXACTLY_ONCE, false, false, 0, 0)));
        context.settle();
        step("", "1");
        Message message = new Message("other", new byte[1], Qos.AT_MOST_ONCE, true, 0, MessageProperties.NONE);
        ReplayStep passedOver = new ReplayStep(other, "", "1", message, Qos.AT_MOST_ONCE, new int[0]);
        CompletableFuture<ReplayOutcome> once = connection.attachment().replay(passedOver);
        context.runTasks();
        Proposal both = context.next();
        StepContext.seal(both);
        both.failed(busy);
        context.settle();
        assertThat(once).isCompletedWithValue(ReplayOutcome.BEHIND);
        CompletableFuture<ReplayOutcome> again = connection.attachment().replay(passedOver);
        context.settle();
        assertThat(again).isCompletedWithValue(ReplayOutcome.STORED);
        assertThat(connection.delivered).hasSize(1);
    }

    @Test
    void theEndOfTheConnectionDoesNotTellIt() {
        connection.attachment().detach(-1, false);
        context.runTasks();
        Proposal detach = context.next();
        assertThat(placeIn(StepContext.seal(detach))).isNull();
        failing.failed(busy);
        context.apply(detach);

        CompletableFuture<AttachReply> reply = attach(new TestConnection());
        context.settle();
        assertThat(reply.join().subscriptions().get(0).retainedFrom()).isEmpty();
    }

    @Test
    void aConnectionThatWasToldItIsCutOff() {
        TestConnection next = new TestConnection();
        CompletableFuture<AttachReply> reply = attach(next);
        context.runTasks();
        Proposal attach = context.next();
        StepContext.seal(attach);
        failing.failed(busy);
        context.apply(attach);
        assertThat(reply).isCompletedExceptionally();
        assertThat(next.ends).containsExactly(InboxListener.Reason.UNAVAILABLE);
    }

    @Test
    void aSubscriptionMadeAgainBehindItBeginsAnewWhateverBecomesOfIt() {
        connection
                .attachment()
                .subscribe(List.of(new StoredSubscription(FILTER, Qos.EXACTLY_ONCE, false, false, 0, 0)));
        context.runTasks();
        Proposal again = context.next();
        assertThat(placeIn(StepContext.seal(again))).isEmpty();
        failing.failed(busy);
        context.apply(again);
        CompletableFuture<ReplayOutcome> anew = step("", "1");
        context.settle();
        assertThat(anew).isCompletedWithValue(ReplayOutcome.STORED);
    }

    private CompletableFuture<ReplayOutcome> step(String from, String to) {
        Message message = new Message(to, new byte[1], Qos.EXACTLY_ONCE, true, 0, MessageProperties.NONE);
        return connection.attachment().replay(new ReplayStep(FILTER, from, to, message, Qos.EXACTLY_ONCE, new int[0]));
    }

    private CompletableFuture<AttachReply> attach(TestConnection listener) {
        AttachRequest request = new AttachRequest(InboxFixture.info("a"), false, 60, null);
        return StepContext.client(leader).attach(request, listener);
    }

    /** Null when the mutation writes none. */
    private String placeIn(byte[] mutation) {
        Map<String, byte[]> written = new HashMap<>();
        MutationCodec.apply(new MapWrites(written), mutation);
        byte[] value = written.get(MapWrites.name(prefix, InboxKeys.suffix(InboxKeys.RETAINED, FILTER.text())));
        if (value == null) {
            return null;
        }
        ByteReader in = new ByteReader(value);
        in.u8();
        in.varint();
        return in.string();
    }
}
