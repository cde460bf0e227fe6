package io.godwit.inbox.carrier;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.client.SessionOwner;
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
import io.godwit.inbox.wire.Reply;
import io.godwit.inbox.wire.SessionCall;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RequestOrder;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
    private final LinkedNodes nodes = new LinkedNodes(leaders, tasks::add);
    private final InboxEdge edge = new InboxEdge(nodes);
    private final Listener listener = new Listener();

    /** Remembers what it is asked; the test answers. */
    private static final class Leaders implements InboxCarrier {
        record Asked(SessionCommand command, @Nullable DeliveryStream deliveries, Answer answer) {}

        record Insert(InsertRequest request, Answer answer) {}

        final List<Asked> asked = new ArrayList<>();
        final List<Insert> inserts = new ArrayList<>();

        @Override
        public void ask(SessionCommand command, @Nullable DeliveryStream deliveries, Answer answer) {
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

    // --- orders

    private CompletableFuture<List<InsertOutcome>> insert(long number, RequestOrder order) {
        Message message = new Message("t", new byte[1], Qos.EXACTLY_ONCE, false, 0, MessageProperties.NONE);
        InsertRequest.Target target =
                new InsertRequest.Target(new ClientId("c"), 5, Qos.EXACTLY_ONCE, false, new int[0]);
        CompletableFuture<List<InsertOutcome>> answer = edge.insert(
                new InsertRequest(TenantId.DEFAULT, message, List.of(target), "origin", number, 0, false, order));
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
    void aNewerReleaseIsTalkedToInTheVersionOfThisOne() throws Exception {
        assertThat(Versions.agree(
                        Hello.newBuilder().setLeastVersion(1).setMostVersion(2).build()))
                .isEqualTo(1);
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
                        .setSession(CommandCodec.encode(new SessionCommand.Owner(CLIENT))
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
                                        new SessionCommand.Attach(new AttachRequest(CLIENT, false, 60, null)))
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
                        .setAttachment(CommandCodec.encode(new AttachmentCommand.Received(1))
                                .setCall(5)
                                .setAttachment(99))));
        run();
        assertThat(nodes.abandoned).isEmpty();
        assertThat(nodes.link().toEdge.frames).hasSize(2);
    }
}
