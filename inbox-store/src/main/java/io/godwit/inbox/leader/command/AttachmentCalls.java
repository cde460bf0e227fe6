package io.godwit.inbox.leader.command;

import io.godwit.inbox.leader.delivery.Attachment;
import io.godwit.inbox.leader.end.Departures;
import io.godwit.inbox.leader.qos.InboundHandler;
import io.godwit.inbox.leader.queue.Mailbox;
import io.godwit.inbox.leader.state.InboxState;
import io.godwit.inbox.ledger.ConnectionEnd;
import io.godwit.inbox.local.SessionCall;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.AttachmentCommand;
import io.godwit.inbox.protocol.AttachmentPort;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.inbox.protocol.SessionCommand;
import io.godwit.kv.client.RangeException;
import java.util.function.Consumer;

/**
 * Takes the commands of a connection to its {@link Attachment}: posted on any thread, carried out by the handlers on
 * the range executor.
 */
public final class AttachmentCalls implements AttachmentPort, AttachmentCommand.Cases {
    /**
     * The handlers of commands to the attachments of one leader.
     *
     * @param sessions handler of commands about the session
     */
    public record Handlers(
            Mailbox mailbox,
            Consumer<SessionCall> sessions,
            Departures departures,
            Subscriptions subscriptions,
            InboundHandler inbound) {}

    private final Handlers handlers;
    private final InboxState state;
    private final Attachment attachment;

    AttachmentCalls(Handlers handlers, InboxState state, Attachment attachment) {
        this.handlers = handlers;
        this.state = state;
        this.attachment = attachment;
    }

    // --- called by the connection, on any thread

    @Override
    public void post(AttachmentCommand command, Answer answer) {
        handlers.mailbox().post(new Posted(this, command, answer));
    }

    /**
     * Also works for an attachment that is over, even when its {@code state} was discarded: the message is distributed
     * all the same.
     */
    @Override
    public void markDistributed(int packetId, long tokenNumber, Answer answer) {
        SessionCommand command =
                new SessionCommand.MarkDistributed(state.id, attachment.incarnation(), packetId, tokenNumber);
        SessionCall call = new SessionCall(command, null, answer);
        handlers.mailbox().post(new Mailbox.Call() {
            @Override
            public void run() {
                handlers.sessions().accept(call);
            }

            @Override
            public void fail(RangeException cause) {
                call.fail(cause);
            }
        });
    }

    /** A command on its way to the leader. */
    private record Posted(AttachmentCalls to, AttachmentCommand command, Answer answer) implements Mailbox.Call {
        @Override
        public void run() {
            if (to.attachment.isClosed()) {
                to.tooLate(command);
                answer.fail(Mailbox.closed());
            } else {
                command.choose(to, answer);
            }
        }

        @Override
        public void fail(RangeException cause) {
            answer.fail(cause);
        }
    }

    private void tooLate(AttachmentCommand command) {
        if (command instanceof AttachmentCommand.Detach end && attachment.takesLateDetach()) {
            handlers.departures()
                    .detachedLate(
                            state.id,
                            new ConnectionEnd(
                                    attachment.incarnation(),
                                    attachment.attachNumber(),
                                    end.expirySeconds(),
                                    end.publishWill(),
                                    false));
        }
    }

    // --- the commands, on the range executor

    @Override
    public void request(AttachmentCommand.Request command) {
        attachment.outbox().request(command.messages());
    }

    @Override
    public void acknowledge(AttachmentCommand.Acknowledge command) {
        attachment.acknowledge(command);
    }

    @Override
    public void received(AttachmentCommand.Received command, Answer answer) {
        attachment.received(command, answer);
    }

    @Override
    public void complete(AttachmentCommand.Complete command) {
        attachment.complete(command);
    }

    @Override
    public void subscribe(AttachmentCommand.Subscribe command, Answer answer) {
        handlers.subscriptions().subscribe(state, command.subscriptions(), answer);
    }

    @Override
    public void unsubscribe(AttachmentCommand.Unsubscribe command, Answer answer) {
        handlers.subscriptions().unsubscribe(state, command.filters(), answer);
    }

    @Override
    public void replay(AttachmentCommand.Replay command, Answer answer) {
        attachment.replay(command.step(), answer);
    }

    @Override
    public void replayed(AttachmentCommand.Replayed command, Answer answer) {
        handlers.subscriptions().replayed(state, command.filter(), command.to());
        answer.reply(InboxReply.DONE);
    }

    @Override
    public void receive(AttachmentCommand.Receive command, Answer answer) {
        RangeException refused = attachment.receivesRefused();
        if (refused == null) {
            handlers.inbound().receive(state, command.packetId(), command.message(), answer);
        } else {
            answer.fail(refused);
        }
    }

    @Override
    public void release(AttachmentCommand.Release command, Answer answer) {
        handlers.inbound().release(state, command.packetId(), answer);
    }

    @Override
    public void detach(AttachmentCommand.Detach command, Answer answer) {
        attachment.outbox().unsentFrom(command.sentBelow());
        handlers.departures().detach(state, command.expirySeconds(), command.publishWill(), answer);
    }
}
