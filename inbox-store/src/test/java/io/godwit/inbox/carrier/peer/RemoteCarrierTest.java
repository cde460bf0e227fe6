package io.godwit.inbox.carrier.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.SessionOwner;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.AttachmentCommand;
import io.godwit.inbox.protocol.InboxDelivery;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.inbox.protocol.SessionCommand;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RequestOrder;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Behaviour of a carrier beyond that of the leaders, which the tests of {@code leader} cover for both: the loss of the
 * link, and memory of ended calls and attachments. The test plays the leaders.
 */
class RemoteCarrierTest extends CarrierStage {
    /** The leader first fails the command and then reports its own end: the connection continues at the next one. */
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
        assertThat(causeOf(edge.owner(CLIENT)))
                .as("a question after the loss of the link")
                .isEqualTo(RangeException.Cause.LOST);
        leaders.asked.forEach(asked -> asked.answer().reply(InboxReply.DONE)); // does no harm
        run();
        assertThat(listener.ends)
                .as("the attachment was never opened, so it does not end")
                .isEmpty();
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
        reasons.remove(InboxListener.Reason.LOST); // leaders never send it
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

    /** Calls without an effect fail as such, whichever end notices first. */
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

    @Test
    void whatFollowsAFailureInItsOrderIsKnownAtTheLeader() {
        RequestOrder order = new RequestOrder();
        CompletableFuture<?> one = insert(1, order);
        insert(2, order);
        insert(3, new RequestOrder());
        failAtLeader(0);
        insert(4, order); // sent before this end learns of the failure
        assertThat(leaders.inserts).hasSize(4);
        assertThat(leaders.inserts.get(1).request().order().isBrokenBefore(2)).isTrue();
        assertThat(leaders.inserts.get(2).request().order().isBrokenBefore(3)).isFalse();
        run();
        assertThat(causeOf(one)).isEqualTo(RangeException.Cause.OVERLOADED);
        assertThat(order.isBrokenBefore(2))
                .as("the edge also knows that the order has failed")
                .isTrue();
        CompletableFuture<?> held = insert(5, order);
        assertThat(causeOf(held)).isEqualTo(RangeException.Cause.OVERLOADED);
        assertThat(leaders.inserts)
                .as("the edge sends nothing more of the order")
                .hasSize(4);
    }

    @Test
    void ordersAreForgottenWhenNothingOfThemIsUnderWay() {
        RequestOrder order = new RequestOrder();
        insert(1, order);
        insert(2, order);
        assertThat(nodes.link().leaders.orders()).isEqualTo(1);
        leaders.inserts.get(0).answer().reply(new InboxReply.Inserted(List.of(InsertOutcome.STORED)));
        leaders.inserts.get(1).answer().reply(new InboxReply.Inserted(List.of(InsertOutcome.STORED)));
        assertThat(nodes.link().leaders.orders())
                .as("orders that have failed: none")
                .isZero();
        run();
        insert(3, order);
        insert(4, order);
        failAtLeader(2);
        failAtLeader(3);
        assertThat(nodes.link().leaders.orders())
                .as("the edge may not know of the failure yet")
                .isEqualTo(1);
        run();
        assertThat(nodes.link().leaders.orders())
                .as("the edge has confirmed the failure")
                .isZero();
    }

    /**
     * A command that no leader has begun by then is not carried out: its publisher sends it again over another link.
     */
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
}
