package io.godwit.inbox.carrier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.client.SessionOwner;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.client.Will;
import io.godwit.inbox.edge.InboxEdge;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.AttachmentCommand;
import io.godwit.inbox.protocol.AttachmentPort;
import io.godwit.inbox.protocol.DeliveryStream;
import io.godwit.inbox.protocol.InboxCarrier;
import io.godwit.inbox.protocol.InboxDelivery;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.inbox.protocol.SessionCommand;
import io.godwit.inbox.wire.Delivery;
import io.godwit.inbox.wire.Hello;
import io.godwit.inbox.wire.InboxFrame;
import io.godwit.inbox.wire.InsertCall;
import io.godwit.inbox.wire.Reply;
import io.godwit.inbox.wire.SessionCall;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RequestOrder;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageCodec;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * What a carrier has beside the behaviour of the leaders, which the tests of {@code queue} show for both: the loss of
 * the link, frames that may not be, and what is remembered of each end. Leaders are played by the test.
 */
class RemoteCarrierTest {
    private static final ClientInfo CLIENT =
            new ClientInfo(TenantId.DEFAULT, new ClientId("c"), null, "127.0.0.1:1000", 5);

    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final Leaders leaders = new Leaders();
    private LinkedNodes nodes = limited(LinkedNodes.Limits.DEFAULT);
    private InboxEdge edge = new InboxEdge(nodes);
    private final Listener listener = new Listener();
    private long edgeMillis = 1_700_000_000_000L;
    private long leaderMillis = edgeMillis;

    /** Remembers what it is asked; the test answers. */
    private static final class Leaders implements InboxCarrier {
        record Asked(SessionCommand command, @Nullable DeliveryStream deliveries, Answer answer) {}

        record Insert(InsertRequest request, Answer answer) {}

        final List<Asked> asked = new ArrayList<>();
        final List<Insert> inserts = new ArrayList<>();
        /** What goes wrong when they are asked; null for nothing. */
        @Nullable
        RuntimeException fault;

        @Override
        public void ask(SessionCommand command, @Nullable DeliveryStream deliveries, Answer answer) {
            if (fault != null) {
                throw fault;
            }
            asked.add(new Asked(command, deliveries, answer));
        }

        @Override
        public void insert(InsertRequest request, Answer answer) {
            inserts.add(new Insert(request, answer));
        }
    }

    /** The leader's end of an attachment: answers whatever comes. */
    private static final class Port implements AttachmentPort {
        final List<AttachmentCommand> commands = new ArrayList<>();
        final List<Answer> answers = new ArrayList<>();

        @Override
        public void post(AttachmentCommand command, Answer answer) {
            commands.add(command);
            answers.add(answer);
        }

        @Override
        public void markDistributed(int packetId, long tokenNumber, Answer answer) {
            throw new AssertionError("is asked of the session");
        }
    }

    private static final class Listener implements InboxListener {
        final List<InboxMessage> messages = new ArrayList<>();
        final List<Reason> ends = new ArrayList<>();

        @Override
        public void deliver(List<InboxMessage> delivered) {
            messages.addAll(delivered);
        }

        @Override
        public void detached(Reason reason) {
            ends.add(reason);
        }
    }

    private LinkedNodes limited(LinkedNodes.Limits limits) {
        return new LinkedNodes(leaders, tasks::add, () -> edgeMillis, () -> leaderMillis, limits);
    }

    /** Other limits than the usual ones, for all that follows. */
    private void limit(int frameBytes, long servedBytes) {
        limit(new LinkedNodes.Limits(frameBytes, servedBytes, Long.MAX_VALUE));
    }

    private void limit(LinkedNodes.Limits limits) {
        nodes = limited(limits);
        edge = new InboxEdge(nodes);
    }

    private void run() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    private CompletableFuture<AttachReply> attach() {
        CompletableFuture<AttachReply> reply = edge.attach(new AttachRequest(CLIENT, false, 60, null), listener);
        run();
        return reply;
    }

    private AttachReply attached(Port port) {
        CompletableFuture<AttachReply> reply = attach();
        Leaders.Asked asked = leaders.asked.get(leaders.asked.size() - 1);
        asked.deliveries().opened(port);
        asked.answer().reply(new InboxReply.Attached(true, 5, List.of(), new int[0]));
        run();
        return reply.join();
    }

    private DeliveryStream stream() {
        return leaders.asked.get(leaders.asked.size() - 1).deliveries();
    }

    private static RangeException.Cause causeOf(CompletableFuture<?> failed) {
        assertThat(failed).isCompletedExceptionally();
        return failed.handle((value, failure) -> ((RangeException) failure).reason())
                .join();
    }

    /**
     * The leader fails the command first and tells of its own end behind it: the connection goes on at the next one.
     */
    @Test
    void aDetachThatFailsAsMovedDoesNotHideThatTheLeaderHasMoved() {
        Port port = new Port();
        CompletableFuture<Void> detached = attached(port).attachment().detach(-1, false);
        run();

        port.answers.get(0).fail(new RangeException(RangeException.Cause.MOVED, "another leader has followed"));
        stream().next(new InboxDelivery.Detached(InboxListener.Reason.MOVED));
        run();

        assertThat(causeOf(detached)).isEqualTo(RangeException.Cause.MOVED);
        assertThat(listener.ends).containsExactly(InboxListener.Reason.MOVED);
    }

    @Test
    void whatWasNotAnsweredFailsWithTheLinkAsMayHaveHappened() {
        CompletableFuture<AttachReply> attach = attach();
        CompletableFuture<SessionOwner> owner = edge.owner(CLIENT);
        run();
        nodes.link().lose();
        assertThat(causeOf(attach)).isEqualTo(RangeException.Cause.LOST);
        assertThat(causeOf(owner)).isEqualTo(RangeException.Cause.LOST);
        assertThat(causeOf(edge.owner(CLIENT))).as("asked later").isEqualTo(RangeException.Cause.LOST);
        leaders.asked.forEach(asked -> asked.answer().reply(InboxReply.DONE)); // does no harm
        run();
        assertThat(listener.ends).as("it never was attached").isEmpty();
    }

    @Test
    void attachmentsEndAtBothEndsWhenTheLinkIsLost() {
        Port port = new Port();
        AttachReply reply = attached(port);
        nodes.link().lose();
        assertThat(listener.ends).containsExactly(InboxListener.Reason.LOST);
        assertThat(port.commands).containsExactly(new AttachmentCommand.Detach(-1, true, Long.MAX_VALUE));
        assertThat(reply.attachment().received(1)).isCompletedExceptionally();
        stream().next(new InboxDelivery.Messages(List.of()));
        stream().next(new InboxDelivery.Detached(InboxListener.Reason.TAKEN_OVER));
        run();
        assertThat(listener.ends).hasSize(1);
    }

    /** The link is lost while the leader is about to attach. */
    @Test
    void anAttachmentThatIsOpenedTooLateIsDetached() {
        attach();
        nodes.link().lose();
        Port port = new Port();
        stream().opened(port);
        assertThat(port.commands).containsExactly(new AttachmentCommand.Detach(-1, true, Long.MAX_VALUE));
    }

    @Test
    void aNewLinkKnowsNothingOfTheOneBefore() {
        Port port = new Port();
        AttachReply before = attached(port);
        nodes.reconnect();
        run();
        Port next = new Port();
        AttachReply after = attached(next);
        before.attachment().request(1);
        after.attachment().request(2);
        run();
        assertThat(next.commands).containsExactly(new AttachmentCommand.Request(2));
    }

    @Test
    void eachEndForgetsAnAttachmentThatIsOver() {
        List<InboxListener.Reason> reasons = new ArrayList<>(List.of(InboxListener.Reason.values()));
        reasons.remove(InboxListener.Reason.LOST); // is not told by leaders
        for (InboxListener.Reason reason : reasons) {
            attached(new Port());
            stream().next(new InboxDelivery.Detached(reason));
            run();
        }
        assertThat(listener.ends).isEqualTo(reasons);
        Port port = new Port();
        AttachReply reply = attached(port);
        CompletableFuture<Void> detached = reply.attachment().detach(-1, false);
        run();
        assertThat(nodes.link().leaders.attachments()).isEqualTo(1);
        port.answers.get(0).reply(InboxReply.DONE);
        run();
        assertThat(detached).isCompleted();
        attach();
        Leaders.Asked refused = leaders.asked.get(leaders.asked.size() - 1);
        refused.answer().fail(new RangeException(RangeException.Cause.OVERLOADED, "no"));
        run();
        assertThat(nodes.link().leaders.attachments()).isZero();
        assertThat(nodes.link().edge.attachments()).isZero();
        assertThat(nodes.link().edge.calls()).isZero();
    }

    /** What was called and had no effect is told so, whichever end knows first. */
    @Test
    void callsBehindAMoveFailAsMoved() {
        Port port = new Port();
        AttachReply reply = attached(port);
        CompletableFuture<Void> before = reply.attachment().received(1);
        run();
        stream().next(new InboxDelivery.Detached(InboxListener.Reason.MOVED));
        CompletableFuture<Void> onItsWay = reply.attachment().received(2);
        run();
        CompletableFuture<Void> after = reply.attachment().received(3);
        port.answers.forEach(answer -> answer.fail(new RangeException(RangeException.Cause.MOVED, "moved")));
        run();
        assertThat(List.of(causeOf(before), causeOf(onItsWay), causeOf(after)))
                .containsOnly(RangeException.Cause.MOVED);
        assertThat(port.commands).hasSize(2);
    }

    @Test
    void aDisconnectThatComesBehindAFailureIsToldToTheSession() {
        AttachReply reply = attached(new Port());
        stream().next(new InboxDelivery.Detached(InboxListener.Reason.UNAVAILABLE));
        run();
        CompletableFuture<Void> detached = reply.attachment().detach(30, false);
        CompletableFuture<Void> again = reply.attachment().detach(30, true);
        run();
        Leaders.Asked last = leaders.asked.get(leaders.asked.size() - 1);
        assertThat(last.command())
                .isEqualTo(new SessionCommand.DetachLate(last.command().inbox(), 5, 30, false));
        last.answer().reply(InboxReply.DONE);
        run();
        assertThat(causeOf(detached)).isEqualTo(RangeException.Cause.CLOSED);
        assertThat(causeOf(again)).isEqualTo(RangeException.Cause.CLOSED);
    }

    // --- the first end counts

    @Test
    void theLossOfTheLinkDoesNotPassForTheEndOfAConnectionThatHasDisconnected() {
        Port port = new Port();
        attached(port).attachment().detach(-1, false);
        run();
        nodes.link().lose();
        assertThat(port.commands).containsExactly(new AttachmentCommand.Detach(-1, false, Long.MAX_VALUE));
    }

    @Test
    void theLossOfTheLinkDoesNotPassForTheEndOfAConnectionThatWasTakenOver() {
        Port port = new Port();
        attached(port);
        stream().next(new InboxDelivery.Detached(InboxListener.Reason.TAKEN_OVER));
        nodes.link().lose();
        assertThat(port.commands).isEmpty();
    }

    // --- frames above the limit

    private static Message message(int bytes, Qos qos) {
        return new Message("t", new byte[bytes], qos, false, 0, MessageProperties.NONE);
    }

    private static InboxMessage delivery(long sequence, int bytes, Qos qos) {
        return new InboxMessage(sequence, 1, message(bytes, qos), qos, false, false, false, new int[0]);
    }

    private static String wordsOf(CompletableFuture<?> failed) {
        return failed.handle((value, failure) -> ((RangeException) failure).detail())
                .join();
    }

    @Test
    void aSessionWithManySubscriptionsIsAttachedInSeveralFrames() {
        limit(2_000, Long.MAX_VALUE);
        List<StoredSubscription> subscriptions = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            TopicFilter filter = new TopicFilter(null, "filters/of/one/session/" + i);
            subscriptions.add(new StoredSubscription(filter, Qos.AT_LEAST_ONCE, false, false, 0, i));
        }
        CompletableFuture<AttachReply> reply = attach();
        Leaders.Asked asked = leaders.asked.get(0);
        asked.deliveries().opened(new Port());
        asked.answer().reply(new InboxReply.Attached(true, 5, 3, subscriptions, new int[] {6, 7}));
        run();
        assertThat(reply.join().subscriptions()).isEqualTo(subscriptions);
        assertThat(reply.join().inbound()).containsExactly(6, 7);
        assertThat(reply.join().attachNumber()).isEqualTo(3);
        assertThat(nodes.link().toEdge.frames).hasSizeGreaterThan(5);
    }

    @Test
    void theNextAnswerHasNothingOfOneThatTheLinkHasCut() {
        limit(2_000, Long.MAX_VALUE);
        StoredSubscription one =
                new StoredSubscription(new TopicFilter(null, "f".repeat(1_500)), Qos.AT_LEAST_ONCE, false, false, 0, 1);
        CompletableFuture<AttachReply> cut = attach();
        leaders.asked.get(0).deliveries().opened(new Port());
        leaders.asked.get(0).answer().reply(new InboxReply.Attached(true, 5, List.of(one, one), new int[0]));
        tasks.remove().run(); // the first part
        nodes.reconnect();
        run();
        assertThat(causeOf(cut)).isEqualTo(RangeException.Cause.LOST);
        assertThat(attached(new Port()).subscriptions()).isEmpty();
    }

    @Test
    void anAttachWhoseAnswerDoesNotFitFailsAndItsAttachmentEnds() {
        limit(2_000, Long.MAX_VALUE);
        Port port = new Port();
        CompletableFuture<AttachReply> reply = attach();
        leaders.asked.get(0).deliveries().opened(port);
        int[] inbound = IntStream.range(1, 2_000).toArray();
        leaders.asked.get(0).answer().reply(new InboxReply.Attached(true, 5, List.of(), inbound));
        run();
        assertThat(causeOf(reply)).isEqualTo(RangeException.Cause.TIMEOUT);
        assertThat(wordsOf(reply)).contains("above the 2000 bytes");
        assertThat(port.commands).containsExactly(new AttachmentCommand.Detach(-1, true, Long.MAX_VALUE));
        assertThat(nodes.abandoned).isEmpty();
    }

    @Test
    void messagesAreDeliveredInAsManyFramesAsTheyTake() {
        limit(2_000, Long.MAX_VALUE);
        attached(new Port());
        List<InboxMessage> messages = new ArrayList<>();
        for (int i = 1; i <= 20; i++) {
            messages.add(delivery(i, 700, Qos.AT_LEAST_ONCE));
        }
        stream().next(new InboxDelivery.Messages(messages));
        run();
        assertThat(listener.messages)
                .extracting(InboxMessage::sequence)
                .isSorted()
                .hasSize(20);
        assertThat(nodes.link().toEdge.frames).as("hello, attached, messages").hasSize(2 + 10);
    }

    @Test
    void aMessageThatIsTooLargeEndsItsConnectionAlone() {
        limit(2_000, Long.MAX_VALUE);
        attached(new Port());
        DeliveryStream other = stream();
        Port port = new Port();
        attached(port);
        InboxDelivery behind = new InboxDelivery.Messages(
                List.of(delivery(4, 10, Qos.AT_LEAST_ONCE), delivery(0, 10, Qos.AT_MOST_ONCE)));
        stream()
                .next(new InboxDelivery.Messages(List.of(
                        delivery(1, 10, Qos.AT_LEAST_ONCE),
                        delivery(2, 3_000, Qos.AT_LEAST_ONCE),
                        delivery(3, 10, Qos.AT_LEAST_ONCE),
                        delivery(0, 10, Qos.AT_MOST_ONCE))));
        stream().next(behind);
        stream().next(new InboxDelivery.Detached(InboxListener.Reason.TAKEN_OVER));
        run();
        assertThat(listener.messages).extracting(InboxMessage::sequence).containsExactly(1L);
        assertThat(listener.ends).containsExactly(InboxListener.Reason.UNAVAILABLE);
        assertThat(port.commands)
                .as("what was not sent stays")
                .containsExactly(new AttachmentCommand.Detach(-1, true, 2));
        assertThat(nodes.dropped).as("nobody keeps QoS 0").containsExactly("t", "t");
        other.next(new InboxDelivery.Messages(List.of(delivery(9, 10, Qos.AT_LEAST_ONCE))));
        run();
        assertThat(listener.messages).extracting(InboxMessage::sequence).containsExactly(1L, 9L);
        assertThat(nodes.abandoned).isEmpty();
    }

    private void room(boolean isThere) {
        nodes.link().toEdge.isWritable = isThere;
        List<Runnable> due = List.copyOf(nodes.timed);
        nodes.timed.clear();
        due.forEach(Runnable::run);
        run();
    }

    @Test
    void whatTheLinkHasNoRoomForWaitsInOrder() {
        Port port = new Port();
        attached(port);
        DeliveryStream first = stream();
        attached(new Port());
        room(false);
        first.next(new InboxDelivery.Messages(
                List.of(delivery(1, 10, Qos.AT_LEAST_ONCE), delivery(0, 10, Qos.AT_MOST_ONCE))));
        stream().next(new InboxDelivery.Messages(List.of(delivery(7, 10, Qos.EXACTLY_ONCE))));
        first.next(new InboxDelivery.Messages(List.of(delivery(2, 10, Qos.AT_LEAST_ONCE))));
        first.next(new InboxDelivery.Detached(InboxListener.Reason.TAKEN_OVER));
        room(false);
        assertThat(listener.messages).isEmpty();
        assertThat(listener.ends).isEmpty();
        assertThat(nodes.dropped).containsExactly("t");
        assertThat(nodes.link().leaders.heldBytes()).isPositive();
        room(true);
        assertThat(listener.messages).extracting(InboxMessage::sequence).containsExactly(1L, 7L, 2L);
        assertThat(listener.ends).containsExactly(InboxListener.Reason.TAKEN_OVER);
        assertThat(nodes.link().leaders.heldBytes()).isZero();
        assertThat(nodes.timed).isEmpty();
        stream().next(new InboxDelivery.Messages(List.of(delivery(8, 10, Qos.AT_MOST_ONCE))));
        run();
        assertThat(listener.messages).hasSize(4);
    }

    @Test
    void whatFindsNoRoomToWaitEndsItsConnectionAlone() {
        limit(new LinkedNodes.Limits(64 << 20, Long.MAX_VALUE, 5_000));
        attached(new Port());
        DeliveryStream other = stream();
        Port port = new Port();
        attached(port);
        room(false);
        other.next(new InboxDelivery.Messages(List.of(delivery(1, 3_000, Qos.AT_LEAST_ONCE))));
        stream().next(new InboxDelivery.Messages(List.of(delivery(5, 100, Qos.AT_LEAST_ONCE))));
        stream().next(new InboxDelivery.Messages(List.of(delivery(6, 3_000, Qos.AT_LEAST_ONCE))));
        assertThat(port.commands)
                .as("what was not sent stays")
                .containsExactly(new AttachmentCommand.Detach(-1, true, 6));
        stream().next(new InboxDelivery.Messages(List.of(delivery(7, 10, Qos.AT_LEAST_ONCE))));
        room(true);
        assertThat(listener.ends).containsExactly(InboxListener.Reason.UNAVAILABLE);
        other.next(new InboxDelivery.Messages(List.of(delivery(2, 10, Qos.AT_LEAST_ONCE))));
        run();
        assertThat(listener.messages).extracting(InboxMessage::sequence).containsExactly(1L, 2L);
        assertThat(nodes.abandoned).isEmpty();
    }

    /** A session may have 4 MiB of filters, and a hundred of them may come back at once. */
    @Test
    void whatAnAttachBringsWaitsForRoomTooAndNewOnesAreRefusedMeanwhile() {
        limit(new LinkedNodes.Limits(64 << 20, Long.MAX_VALUE, 100_000));
        StoredSubscription one =
                new StoredSubscription(new TopicFilter(null, "f".repeat(2_000)), Qos.AT_LEAST_ONCE, false, false, 0, 1);
        List<StoredSubscription> subscriptions = Collections.nCopies(10, one);
        List<CompletableFuture<AttachReply>> replies = new ArrayList<>();
        List<Port> ports = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            replies.add(attach());
            ports.add(new Port());
        }
        room(false);
        int framesBefore = nodes.link().toEdge.frames.size();
        for (int i = 0; i < 3; i++) {
            leaders.asked.get(i).deliveries().opened(ports.get(i));
            leaders.asked.get(i).answer().reply(new InboxReply.Attached(true, 5, subscriptions, new int[0]));
        }
        leaders.asked.get(0).deliveries().next(new InboxDelivery.Messages(List.of(delivery(1, 10, Qos.AT_LEAST_ONCE))));
        run();
        assertThat(nodes.link().toEdge.frames).as("the failure of the third").hasSize(framesBefore + 1);
        assertThat(causeOf(replies.get(2))).isEqualTo(RangeException.Cause.TIMEOUT);
        assertThat(ports.get(2).commands).containsExactly(new AttachmentCommand.Detach(-1, true, Long.MAX_VALUE));
        assertThat(causeOf(attach())).isEqualTo(RangeException.Cause.OVERLOADED);
        assertThat(leaders.asked).hasSize(3);
        assertThat(replies.get(0)).isNotDone();
        room(true);
        assertThat(replies.get(0).join().subscriptions()).isEqualTo(subscriptions);
        assertThat(replies.get(1).join().subscriptions()).isEqualTo(subscriptions);
        assertThat(listener.messages).hasSize(1);
        assertThat(nodes.link().leaders.heldBytes()).isZero();
        attach();
        assertThat(leaders.asked).hasSize(4);
    }

    @Test
    void whatWaitsIsForgottenWithTheLink() {
        attached(new Port());
        DeliveryStream stream = stream();
        EdgeService leadersEnd = nodes.link().leaders;
        room(false);
        stream.next(new InboxDelivery.Messages(List.of(delivery(1, 10, Qos.AT_LEAST_ONCE))));
        nodes.reconnect();
        assertThat(leadersEnd.heldBytes()).isZero();
        stream.next(new InboxDelivery.Messages(List.of(delivery(2, 10, Qos.AT_LEAST_ONCE))));
        assertThat(leadersEnd.heldBytes()).isZero();
        room(true);
        assertThat(listener.messages).isEmpty();
    }

    @Test
    void aMessageOfQos0ThatIsTooLargeIsDroppedAlone() {
        limit(2_000, Long.MAX_VALUE);
        Port port = new Port();
        attached(port);
        stream()
                .next(new InboxDelivery.Messages(List.of(
                        delivery(1, 10, Qos.AT_LEAST_ONCE),
                        delivery(0, 3_000, Qos.AT_MOST_ONCE),
                        delivery(2, 10, Qos.AT_LEAST_ONCE))));
        run();
        assertThat(listener.messages).extracting(InboxMessage::sequence).containsExactly(1L, 2L);
        assertThat(nodes.dropped).containsExactly("t");
        assertThat(listener.ends).isEmpty();
        assertThat(port.commands).isEmpty();
    }

    @Test
    void aCommandThatIsTooLargeFailsAlone() {
        limit(2_000, Long.MAX_VALUE);
        Port port = new Port();
        AttachReply reply = attached(port);
        Message large = message(3_000, Qos.EXACTLY_ONCE);
        CompletableFuture<?> receive = reply.attachment().receive(1, large);
        CompletableFuture<?> attach =
                edge.attach(new AttachRequest(CLIENT, false, 60, new Will(large, 0)), new Listener());
        RequestOrder order = new RequestOrder();
        CompletableFuture<?> insert = insert(1, order, large);
        CompletableFuture<?> next = reply.attachment().received(1);
        run();
        for (CompletableFuture<?> failed : List.of(receive, attach, insert)) {
            assertThat(causeOf(failed)).isEqualTo(RangeException.Cause.TOO_LARGE);
            assertThat(wordsOf(failed)).contains("above the 2000 bytes");
        }
        assertThat(order.isBrokenBefore(2)).isTrue();
        assertThat(port.commands).containsExactly(new AttachmentCommand.Received(1));
        assertThat(next).isNotDone();
        assertThat(leaders.inserts).isEmpty();
        assertThat(nodes.link().edge.attachments()).isEqualTo(1);
        assertThat(nodes.link().edge.calls()).isEqualTo(1);
        assertThat(nodes.abandoned).isEmpty();
    }

    // --- clocks

    @Test
    void aMessageExpiresByItsAgeThoughTheClocksOfTheNodesDiffer() {
        leaderMillis = edgeMillis + 3_600_000;
        MessageProperties minute = new MessageProperties(-1, 60, null, null, null, List.of());
        insert(1, null, new Message("t", new byte[1], Qos.AT_LEAST_ONCE, false, edgeMillis - 10_000, minute));
        Message inserted = leaders.inserts.get(0).request().message();
        assertThat(inserted.remainingExpirySeconds(leaderMillis)).isEqualTo(50);

        attached(new Port());
        Message stored = new Message("t", new byte[1], Qos.AT_LEAST_ONCE, false, leaderMillis - 20_000, minute);
        stream()
                .next(new InboxDelivery.Messages(
                        List.of(new InboxMessage(1, 1, stored, Qos.AT_LEAST_ONCE, false, false, false, new int[0]))));
        run();
        assertThat(listener.messages.get(0).message().remainingExpirySeconds(edgeMillis))
                .isEqualTo(40);
    }

    @Test
    void aMessageThatIsReceivedLaterThanNowIsNotYoungerThanNothing() {
        insert(
                1,
                null,
                new Message("t", new byte[1], Qos.AT_LEAST_ONCE, false, edgeMillis + 5, MessageProperties.NONE));
        assertThat(leaders.inserts.get(0).request().message().receivedAtMillis())
                .isEqualTo(leaderMillis);
    }

    @Test
    void aMessageOfNegativeAgeEndsTheLink() {
        run();
        Message wrong = new Message("t", new byte[1], Qos.AT_LEAST_ONCE, false, -5, MessageProperties.NONE);
        nodes.link()
                .toLeaders
                .sendAnything(bytes(InboxFrame.newBuilder()
                        .setInsert(InsertCall.newBuilder()
                                .setTenant("t")
                                .setMessage(ByteString.copyFrom(MessageCodec.encode(wrong))))));
        assertAbandoned("-5 ms old");
    }

    // --- the budget

    private static void stored(Leaders.Insert insert) {
        insert.answer().reply(new InboxReply.Inserted(List.of(InsertOutcome.STORED)));
    }

    @Test
    void messagesBeyondTheBudgetAreRefusedUntilOthersAreAnswered() {
        limit(16 << 20, 10_000);
        RequestOrder order = new RequestOrder();
        Message message = message(6_000, Qos.EXACTLY_ONCE);
        insert(1, order, message);
        insert(2, order, message);
        CompletableFuture<?> refused = insert(3, order, message);
        assertThat(leaders.inserts).hasSize(2);
        assertThat(causeOf(refused)).isEqualTo(RangeException.Cause.OVERLOADED);
        assertThat(wordsOf(refused)).contains("10000 bytes");
        assertThat(leaders.inserts.get(0).request().order().isBrokenBefore(4))
                .as("its successors are not stored before it")
                .isTrue();
        assertThat(nodes.link().leaders.servedBytes()).isBetween(12_000L, 14_000L);

        stored(leaders.inserts.get(0));
        insert(1, new RequestOrder(), message);
        assertThat(leaders.inserts).hasSize(3);
        failAtLeader(1);
        stored(leaders.inserts.get(2));
        run();
        assertThat(nodes.link().leaders.servedBytes()).isZero();
    }

    /** Else nothing as large could ever be done. */
    @Test
    void oneMessageMayBeLargerThanTheBudget() {
        limit(16 << 20, 1_000);
        insert(1, null, message(6_000, Qos.AT_LEAST_ONCE));
        assertThat(leaders.inserts).hasSize(1);
    }

    @Test
    void whatFreesIsTakenBeyondTheBudget() {
        limit(16 << 20, 10_000);
        Port port = new Port();
        InboxAttachment attachment = attached(port).attachment();
        insert(1, null, message(12_000, Qos.AT_LEAST_ONCE));
        attachment.request(5);
        attachment.acknowledge(new long[] {1});
        attachment.received(2);
        attachment.release(3);
        attachment.detach(-1, false);
        CompletableFuture<?> owner = edge.owner(CLIENT);
        CompletableFuture<?> subscribe = attachment.subscribe(List.of());
        CompletableFuture<?> attach = attach();
        run();
        assertThat(port.commands).hasSize(5);
        assertThat(owner).isNotDone();
        assertThat(causeOf(subscribe)).isEqualTo(RangeException.Cause.OVERLOADED);
        assertThat(causeOf(attach)).isEqualTo(RangeException.Cause.OVERLOADED);
        assertThat(nodes.link().leaders.attachments()).isEqualTo(1);
    }

    /** A client of 3.1.1 is not told: its connection is closed, and it sends the message again by another one. */
    @Test
    void behindARefusedMessageOfQos2NoneOfItsConnectionIsTaken() {
        limit(16 << 20, 10_000);
        Port port = new Port();
        ClientInfo old = new ClientInfo(TenantId.DEFAULT, new ClientId("c"), null, "127.0.0.1:1000", 4);
        CompletableFuture<AttachReply> reply = edge.attach(new AttachRequest(old, false, 60, null), listener);
        run();
        leaders.asked.get(0).deliveries().opened(port);
        leaders.asked.get(0).answer().reply(new InboxReply.Attached(true, 5, List.of(), new int[0]));
        run();
        insert(1, null, message(12_000, Qos.AT_LEAST_ONCE));
        InboxAttachment attachment = reply.join().attachment();
        CompletableFuture<?> first = attachment.receive(1, message(10, Qos.EXACTLY_ONCE));
        run();
        stored(leaders.inserts.get(0));
        CompletableFuture<?> second = attachment.receive(2, message(10, Qos.EXACTLY_ONCE));
        run();
        assertThat(causeOf(first)).isEqualTo(RangeException.Cause.OVERLOADED);
        assertThat(causeOf(second)).isEqualTo(RangeException.Cause.OVERLOADED);
        assertThat(port.commands).isEmpty();
    }

    // --- faults of this node

    @Test
    void aFaultOfALeaderIsNotTakenForABadFrame() {
        run();
        leaders.fault = new IllegalArgumentException("a fault of the leader");
        edge.owner(CLIENT);
        assertThatThrownBy(this::run).isSameAs(leaders.fault);
        run();
        assertThat(nodes.abandoned).isEmpty();
    }

    @Test
    void aFaultOfWhoIsAnsweredIsNotTakenForABadFrame() {
        IllegalArgumentException fault = new IllegalArgumentException("a fault of a connection");
        nodes.ask(new SessionCommand.Owner(CLIENT), null, new Answer() {
            @Override
            public void reply(InboxReply reply) {
                throw fault;
            }

            @Override
            public void fail(RangeException cause) {
                throw new AssertionError("is answered", cause);
            }
        });
        run();
        leaders.asked.get(0).answer().reply(new InboxReply.Owner(SessionOwner.NO_SESSION));
        assertThatThrownBy(this::run).isSameAs(fault);
        run();
        assertThat(nodes.abandoned).isEmpty();
    }

    // --- orders

    private CompletableFuture<List<InsertOutcome>> insert(long number, @Nullable RequestOrder order) {
        return insert(number, order, message(1, Qos.EXACTLY_ONCE));
    }

    private CompletableFuture<List<InsertOutcome>> insert(long number, @Nullable RequestOrder order, Message message) {
        InsertRequest.Target target =
                new InsertRequest.Target(new ClientId("c"), 5, Qos.EXACTLY_ONCE, false, new int[0]);
        CompletableFuture<List<InsertOutcome>> answer = edge.insert(new InsertRequest(
                TenantId.DEFAULT, message, List.of(target), "origin", number, 0, false, order, Resend.ALWAYS));
        run();
        return answer;
    }

    private void failAtLeader(int insert) {
        Leaders.Insert failed = leaders.inserts.get(insert);
        failed.request().order().failed(failed.request().tokenNumber());
        failed.answer().fail(new RangeException(RangeException.Cause.OVERLOADED, "full"));
    }

    @Test
    void whatFollowsAFailureInItsOrderIsKnownAtTheLeader() {
        RequestOrder order = new RequestOrder();
        CompletableFuture<?> one = insert(1, order);
        insert(2, order);
        insert(3, new RequestOrder());
        failAtLeader(0);
        insert(4, order); // sent before this end knows
        assertThat(leaders.inserts).hasSize(4);
        assertThat(leaders.inserts.get(1).request().order().isBrokenBefore(2)).isTrue();
        assertThat(leaders.inserts.get(2).request().order().isBrokenBefore(3)).isFalse();
        run();
        assertThat(causeOf(one)).isEqualTo(RangeException.Cause.OVERLOADED);
        assertThat(order.isBrokenBefore(2)).as("this end knows, too").isTrue();
        CompletableFuture<?> held = insert(5, order);
        assertThat(causeOf(held)).isEqualTo(RangeException.Cause.OVERLOADED);
        assertThat(leaders.inserts).as("not sent any more").hasSize(4);
    }

    @Test
    void ordersAreForgottenWhenNothingOfThemIsUnderWay() {
        RequestOrder order = new RequestOrder();
        insert(1, order);
        insert(2, order);
        assertThat(nodes.link().leaders.orders()).isEqualTo(1);
        leaders.inserts.get(0).answer().reply(new InboxReply.Inserted(List.of(InsertOutcome.STORED)));
        leaders.inserts.get(1).answer().reply(new InboxReply.Inserted(List.of(InsertOutcome.STORED)));
        assertThat(nodes.link().leaders.orders()).as("nothing has failed").isZero();
        run();
        insert(3, order);
        insert(4, order);
        failAtLeader(2);
        failAtLeader(3);
        assertThat(nodes.link().leaders.orders()).as("the edge may not know").isEqualTo(1);
        run();
        assertThat(nodes.link().leaders.orders()).as("it has said so").isZero();
    }

    /** What no leader has begun by then is not carried out: its publisher sends it again by another link. */
    @Test
    void theLossOfTheLinkBreaksTheOrdersThatAreUnderWay() {
        RequestOrder underWay = new RequestOrder();
        insert(1, underWay);
        insert(2, underWay);
        RequestOrder failed = new RequestOrder();
        insert(3, failed);
        failAtLeader(2);
        assertThat(nodes.link().leaders.orders()).isEqualTo(2);
        nodes.link().lose();
        assertThat(nodes.link().leaders.orders()).isZero();
        assertThat(leaders.inserts.get(0).request().order().isBrokenBefore(1)).isTrue();
        leaders.inserts.get(0).answer().fail(new RangeException(RangeException.Cause.OVERLOADED, "held back"));
        stored(leaders.inserts.get(1));
        assertThat(nodes.link().leaders.orders()).isZero();
    }

    // --- frames that may not be

    private void assertAbandoned(String why) {
        run();
        assertThat(nodes.abandoned).singleElement().asString().contains(why);
    }

    private static byte[] bytes(InboxFrame.Builder frame) {
        return frame.build().toByteArray();
    }

    @Test
    void aLinkBetweenReleasesThatDoNotUnderstandEachOtherIsGivenUp() {
        run();
        nodes.link()
                .toEdge
                .sendAnything(bytes(InboxFrame.newBuilder()
                        .setHello(Hello.newBuilder().setLeastVersion(2).setMostVersion(3))));
        assertAbandoned("versions 2 to 3");
    }

    @Test
    void framesThatAVersionDoesNotHaveAreRefused() throws Exception {
        Versions.check(Hello.newBuilder().setLeastVersion(1).setMostVersion(2).build(), 1);
        Versions.check(InboxFrame.KindCase.REPLY, 1);
        assertThatThrownBy(() -> Versions.check(InboxFrame.KindCase.REPLY, 0)).isInstanceOf(FrameException.class);
        assertThatThrownBy(() -> Versions.check(InboxFrame.KindCase.KIND_NOT_SET, 1))
                .isInstanceOf(FrameException.class);
    }

    @Test
    void bytesThatAreNoFrameEndTheLink() {
        run();
        nodes.link().toLeaders.sendAnything(new byte[] {1, 2, 3});
        assertAbandoned("");
        assertThat(causeOf(edge.owner(CLIENT))).isEqualTo(RangeException.Cause.LOST);
    }

    @Test
    void commandsThatComeToAnEdgeEndTheLink() {
        run();
        nodes.link().toEdge.sendAnything(bytes(InboxFrame.newBuilder().setSession(SessionCall.newBuilder())));
        assertAbandoned("a command came to an edge");
    }

    @Test
    void answersThatComeToALeaderEndTheLink() {
        run();
        nodes.link().toLeaders.sendAnything(bytes(InboxFrame.newBuilder().setReply(Reply.newBuilder())));
        assertAbandoned("an answer came");
    }

    @Test
    void anUnknownDeliveryEndsTheLink() {
        run();
        nodes.link().toEdge.sendAnything(bytes(InboxFrame.newBuilder().setDelivery(Delivery.newBuilder())));
        assertAbandoned("delivery");
    }

    @Test
    void aCommandWithAForbiddenValueEndsTheLink() {
        run();
        nodes.link()
                .toLeaders
                .sendAnything(bytes(InboxFrame.newBuilder()
                        .setSession(CommandCodec.encode(new SessionCommand.Owner(CLIENT), 0)
                                .setCall(1)
                                .setAttachment(4))));
        assertAbandoned("do not go together");
    }

    @Test
    void anAttachmentMayBeOpenedOnce() {
        attached(new Port());
        nodes.link()
                .toLeaders
                .sendAnything(bytes(InboxFrame.newBuilder()
                        .setSession(CommandCodec.encode(
                                        new SessionCommand.Attach(new AttachRequest(CLIENT, false, 60, null)), 0)
                                .setCall(77)
                                .setAttachment(1))));
        assertAbandoned("opened twice");
    }

    @Test
    void aCommandOfAnAttachmentThatIsNotThereFails() {
        run();
        nodes.link()
                .toLeaders
                .send(bytes(InboxFrame.newBuilder()
                        .setAttachment(CommandCodec.encode(new AttachmentCommand.Received(1), 0)
                                .setCall(5)
                                .setAttachment(99))));
        run();
        assertThat(nodes.abandoned).isEmpty();
        assertThat(nodes.link().toEdge.frames).hasSize(2);
    }
}
