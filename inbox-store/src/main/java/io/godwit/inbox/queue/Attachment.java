package io.godwit.inbox.queue;

import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.ReplayOutcome;
import io.godwit.inbox.client.ReplayStep;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.AttachmentCommand;
import io.godwit.inbox.protocol.AttachmentPort;
import io.godwit.inbox.protocol.DeliveryStream;
import io.godwit.inbox.protocol.InboxDelivery;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.inbox.protocol.SessionCommand;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One connection's hold on its session, in one term of one leader: so it carries what makes an acknowledgement stale.
 * Commands are posted by the connection, and carried out by the leader; all else is the leader's.
 */
final class Attachment implements AttachmentPort, AttachmentCommand.Cases {
    private record Early(PlacedCopy copy, Insert insert, Batch batch) {}

    private record WaitingStep(ReplayStep step, Answer answer) {}

    private final InboxLeader leader;
    private final InboxState state;
    private final Ledger ledger;
    private final long incarnation;
    private final long attachNumber;
    private final DeliveryStream deliveries;
    final Outbox outbox;
    private boolean closed;
    /**
     * It was over because the store could not serve it. How its connection ends then still counts, when that is told
     * first: a link that is lost tells another end behind it.
     */
    private boolean mayDetachLate;
    /** Why no message of QoS 2 is taken any more; null when they are. */
    private @Nullable RangeException receivesRefused;

    /** Steps of replays that wait until the batch with those before them is done. */
    private final ArrayDeque<WaitingStep> waitingSteps = new ArrayDeque<>(0);

    /** Sent before they were stored, in order; those whose batch has been sealed leave when they come to the front. */
    private final ArrayDeque<Early> early = new ArrayDeque<>(2);

    Attachment(InboxLeader leader, InboxState state, Session session, DeliveryStream deliveries) {
        this.leader = leader;
        this.state = state;
        this.ledger = state.ledger;
        this.incarnation = session.incarnation;
        this.attachNumber = session.attachNumber;
        this.deliveries = deliveries;
        this.outbox = new Outbox(leader, state, deliveries);
    }

    // --- called by the connection, on any thread

    @Override
    public void post(AttachmentCommand command, Answer answer) {
        leader.mailbox().post(new Posted(this, command, answer));
    }

    /**
     * Also from an attachment that is over, whose {@code state} may have been given up since: what was distributed was.
     */
    @Override
    public void markDistributed(int packetId, long tokenNumber, Answer answer) {
        SessionCommand command = new SessionCommand.MarkDistributed(state.id, incarnation, packetId, tokenNumber);
        SessionCall call = new SessionCall(command, null, answer);
        leader.mailbox().post(new Mailbox.Call() {
            @Override
            public void run() {
                leader.handle(call);
            }

            @Override
            public void fail(RangeException cause) {
                call.fail(cause);
            }
        });
    }

    /** A command on its way to the leader. */
    private record Posted(Attachment to, AttachmentCommand command, Answer answer) implements Mailbox.Call {
        @Override
        public void run() {
            if (to.closed) {
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
        if (mayDetachLate && command instanceof AttachmentCommand.Detach end) {
            mayDetachLate = false;
            leader.lifecycle()
                    .detachedLate(
                            state.id,
                            new Disconnect(incarnation, attachNumber, end.expirySeconds(), end.publishWill(), false));
        }
    }

    // --- the commands, on the range executor

    @Override
    public void request(AttachmentCommand.Request command) {
        outbox.request(command.messages());
    }

    @Override
    public void acknowledge(AttachmentCommand.Acknowledge command) {
        for (long sequence : command.sequences()) {
            long ordinal = sentOrdinal(sequence);
            if (ordinal >= 0 && ledger.qosAt(ordinal) == Qos.AT_LEAST_ONCE.value()) {
                finish(sequence, ordinal);
            }
        }
        outbox.pump(); // a packet id may have become free
    }

    @Override
    public void received(AttachmentCommand.Received command, Answer answer) {
        long ordinal = sentOrdinal(command.sequence());
        if (ordinal < 0 || ledger.qosAt(ordinal) != Qos.EXACTLY_ONCE.value()) {
            answer.reply(InboxReply.DONE);
            return;
        }
        ledger.setReceived(ordinal, true);
        // the very batch that is waited for brings the mark: one before it may bring it too, and fail
        Batch batch = leader.openBatch();
        batch.wantProgress(state);
        batch.whenDone(new ReceivedMark(command.sequence(), answer));
    }

    @Override
    public void complete(AttachmentCommand.Complete command) {
        long ordinal = sentOrdinal(command.sequence());
        if (ordinal >= 0 && ledger.qosAt(ordinal) == Qos.EXACTLY_ONCE.value()) {
            finish(command.sequence(), ordinal);
        }
        outbox.pump();
    }

    @Override
    public void subscribe(AttachmentCommand.Subscribe command, Answer answer) {
        leader.lifecycle().subscribe(state, command.subscriptions(), answer);
    }

    @Override
    public void unsubscribe(AttachmentCommand.Unsubscribe command, Answer answer) {
        leader.lifecycle().unsubscribe(state, command.filters(), answer);
    }

    @Override
    public void replay(AttachmentCommand.Replay command, Answer answer) {
        waitingSteps.add(new WaitingStep(command.step(), answer));
        goOnReplaying();
    }

    @Override
    public void replayed(AttachmentCommand.Replayed command, Answer answer) {
        leader.lifecycle().replayed(state, command.filter(), command.to());
        answer.reply(InboxReply.DONE);
    }

    @Override
    public void receive(AttachmentCommand.Receive command, Answer answer) {
        RangeException refused = receivesRefused;
        if (refused == null) {
            leader.inbound().receive(state, command.packetId(), command.message(), answer);
        } else {
            answer.fail(refused);
        }
    }

    @Override
    public void release(AttachmentCommand.Release command, Answer answer) {
        leader.inbound().release(state, command.packetId(), answer);
    }

    @Override
    public void detach(AttachmentCommand.Detach command, Answer answer) {
        outbox.unsentFrom(command.sentBelow());
        leader.lifecycle().detach(state, command.expirySeconds(), command.publishWill(), answer);
    }

    // --- called by the leader

    /**
     * A message of QoS 2 was not stored and its client will send it again, on another connection: nothing is taken
     * before that.
     */
    void refuseReceives(RangeException cause) {
        receivesRefused = cause;
    }

    /** A message was sent before it is stored; see {@link InsertHandler}. */
    void sentEarly(PlacedCopy copy, Insert insert, Batch batch) {
        copy.wasSentEarly = true;
        early.add(new Early(copy, insert, batch));
    }

    /** Takes the steps of replays that need not wait any more. */
    void goOnReplaying() {
        while (!waitingSteps.isEmpty() && !closed && !leader.isSettling() && !mustWaitReplaying()) {
            leader.closeFullBatch();
            WaitingStep next = waitingSteps.remove();
            leader.inserts().replay(state, next.step, next.answer);
        }
    }

    private boolean mustWaitReplaying() {
        Session session = state.session;
        return session != null && session.retained != null && session.retained.mustWait();
    }

    /**
     * The subscription is made again: steps that wait for the one before would begin its replay in the place of its
     * own.
     */
    void refuseReplays(TopicFilter filter) {
        waitingSteps.removeIf(waiting -> {
            boolean isRefused = waiting.step.filter().equals(filter);
            if (isRefused) {
                waiting.answer.reply(new InboxReply.Replay(ReplayOutcome.BEHIND));
            }
            return isRefused;
        });
    }

    /** The end that the connection asked for is decided. */
    void detaching() {
        deliveries.next(InboxDelivery.DETACHING);
    }

    /**
     * Ends it; nothing that the connection sends has an effect any more. Gives back the QoS 0 messages that were not
     * sent.
     */
    List<QueuedCopy> close() {
        end(Mailbox.closed());
        return outbox.close();
    }

    private void end(RangeException cause) {
        closed = true;
        waitingSteps.forEach(waiting -> waiting.answer.fail(cause));
        waitingSteps.clear();
        outbox.flush();
    }

    /**
     * Its leader stops in good order: leaves what the next one needs to go on, then tells the connection.
     *
     * @param untilMillis when the connection counts as lost
     */
    void move(RangeException cause, MovedSessions to, long untilMillis) {
        end(cause);
        boolean hasCredit = outbox.credit() > 0;
        MovedSession moved =
                new MovedSession(incarnation, attachNumber, ledger.sentBelow(), hasCredit, outbox.takePlaces());
        moved.comeTo(null);
        moved.waitUntil(untilMillis);
        to.leave(state.id, moved, leader.context());
        deliveries.next(new InboxDelivery.Detached(InboxListener.Reason.MOVED));
    }

    /** Ends it and tells the connection. */
    List<QueuedCopy> close(InboxListener.Reason reason) {
        List<QueuedCopy> left = close();
        mayDetachLate = reason == InboxListener.Reason.UNAVAILABLE;
        deliveries.next(new InboxDelivery.Detached(reason));
        return left;
    }

    /** The ordinal of an unfinished message that this attachment has been sent, else -1. */
    private long sentOrdinal(long sequence) {
        long ordinal = ledger.find(sequence);
        return ordinal < ledger.cursor() ? ordinal : -1;
    }

    /** The PUBREC of a message is on record, or not. */
    private final class ReceivedMark implements Batch.Waiter {
        private final long sequence;
        private final Answer answer;

        ReceivedMark(long sequence, Answer answer) {
            this.sequence = sequence;
            this.answer = answer;
        }

        @Override
        public void applied() {
            if (state.discarded || state.ledger != ledger) {
                answer.fail(Mailbox.closed()); // the batch left out what it spoke of
            } else {
                answer.reply(InboxReply.DONE);
            }
        }

        @Override
        public void failed(RangeException cause) {
            long ordinal = ledger.find(sequence);
            // an attachment that followed has told the store of the mark by itself, see Lifecycle.attach
            if (ordinal >= 0 && !closed) {
                ledger.setReceived(ordinal, false); // no PUBREL may follow
            }
            answer.fail(cause);
        }
    }

    private void finish(long sequence, long ordinal) {
        leader.finish(state, ordinal);
        while (!early.isEmpty() && early.element().batch().isSealed()) {
            early.remove();
        }
        if (early.isEmpty()) {
            return;
        }
        for (var waiting = early.iterator(); waiting.hasNext(); ) {
            Early sent = waiting.next();
            if (sent.copy().sequence == sequence) {
                waiting.remove();
                if (!sent.batch().isSealed()) {
                    sent.insert().takeBack(sent.copy());
                    leader.copyTakenBack(sent.batch());
                }
                return;
            }
        }
    }
}
