package io.godwit.inbox.carrier.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.client.Will;
import io.godwit.inbox.protocol.AttachmentCommand;
import io.godwit.inbox.protocol.DeliveryStream;
import io.godwit.inbox.protocol.InboxDelivery;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RequestOrder;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A carrier with frames above the limit, a full link, or leaders whose budget is spent. */
class CarrierLimitsTest extends CarrierStage {
    // --- frames above the limit

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
        assertThat(nodes.link().toEdge.frames)
                .as("one hello, one attached and ten frames of messages")
                .hasSize(2 + 10);
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
                .as("messages that were not sent stay in the queue")
                .containsExactly(new AttachmentCommand.Detach(-1, true, 2));
        assertThat(nodes.dropped).as("QoS 0 messages are dropped").containsExactly("t", "t");
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
                .as("messages that were not sent stay in the queue")
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
        assertThat(nodes.link().toEdge.frames)
                .as("only the failure of the third attach is sent")
                .hasSize(framesBefore + 1);
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

    // --- the budget

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
                .as("later messages of the order are not stored before the refused one")
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

    /** Otherwise no command that large could ever be carried out. */
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

    /** A 3.1.1 client gets no error: its connection is closed, and it sends the message again over another one. */
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
}
