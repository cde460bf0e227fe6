package io.godwit.inbox.leader.delivery;

import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.ReplayOutcome;
import io.godwit.inbox.client.ReplayStep;
import io.godwit.inbox.format.QueuedCopy;
import io.godwit.inbox.format.StoredSession;
import io.godwit.inbox.leader.queue.Batch;
import io.godwit.inbox.leader.queue.Connected;
import io.godwit.inbox.leader.queue.Inbox;
import io.godwit.inbox.leader.queue.Mailbox;
import io.godwit.inbox.leader.queue.PlacedCopy;
import io.godwit.inbox.leader.queue.Sender;
import io.godwit.inbox.leader.queue.Writes;
import io.godwit.inbox.ledger.Ledger;
import io.godwit.inbox.ledger.MovedSession;
import io.godwit.inbox.ledger.MovedSessions;
import io.godwit.inbox.ledger.Pending;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.AttachmentCommand;
import io.godwit.inbox.protocol.DeliveryStream;
import io.godwit.inbox.protocol.InboxDelivery;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.coprocessor.LeaderContext;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One connection's hold on its session, in one term of one leader, so that stale acknowledgements are recognised.
 * {@code AttachmentCalls} brings the connection's commands. Owned by the range leader.
 */
public final class Attachment implements Connected {
    private record Early(PlacedCopy copy, Insert insert, Batch batch) {}

    private record WaitingStep(ReplayStep step, Answer answer) {}

    /** Carries out replay steps. */
    public interface Replays {
        /**
         * Whether the next step must wait: the batch with the earlier steps is full and not done yet, or the batch with
         * a newer live message is not done yet.
         */
        boolean mustWait(ReplayStep next);

        void take(ReplayStep step, Answer answer);
    }

    private final Writes writes;
    private final Settling settling;
    private final Replays replays;
    private final Inbox state;
    private final Ledger ledger;
    private final long incarnation;
    private final long attachNumber;
    private final DeliveryStream deliveries;
    private final Outbox outbox;
    private boolean closed;
    /**
     * It ended because the store could not serve it. The way its connection ends still counts, if that is reported
     * first: a lost link reports another end after it.
     */
    private boolean mayDetachLate;

    private @Nullable RangeException receivesRefused;

    /** Replay steps that wait until they can be decided, in order. */
    private final ArrayDeque<WaitingStep> waitingSteps = new ArrayDeque<>(0);

    /**
     * Messages sent before they were stored, in order; those whose batch was sealed are removed when they reach the
     * front.
     */
    private final ArrayDeque<Early> early = new ArrayDeque<>(2);

    public Attachment(
            Outbox.Range range,
            Inbox state,
            StoredSession session,
            DeliveryStream deliveries,
            Outbox.Pages pages,
            Replays replays) {
        this.writes = range.writes();
        this.settling = range.settling();
        this.replays = replays;
        this.state = state;
        this.ledger = state.queue.ledger();
        this.incarnation = session.incarnation;
        this.attachNumber = session.attachNumber();
        this.deliveries = deliveries;
        this.outbox = new Outbox(range, state, deliveries, pages);
    }

    public Outbox outbox() {
        return outbox;
    }

    @Override
    public Sender sender() {
        return outbox;
    }

    public long incarnation() {
        return incarnation;
    }

    public long attachNumber() {
        return attachNumber;
    }

    public boolean isClosed() {
        return closed;
    }

    /** Whether the end of its connection still counts although the attachment is over; true only for the first call. */
    public boolean takesLateDetach() {
        boolean takes = mayDetachLate;
        mayDetachLate = false;
        return takes;
    }

    // --- answers of the client

    public void acknowledge(AttachmentCommand.Acknowledge command) {
        for (long sequence : command.sequences()) {
            long ordinal = sentOrdinal(sequence);
            if (ordinal >= 0 && ledger.qosAt(ordinal) == Qos.AT_LEAST_ONCE.value()) {
                finish(sequence, ordinal);
            }
        }
        outbox.pump(); // a packet id may have become free
    }

    public void received(AttachmentCommand.Received command, Answer answer) {
        long ordinal = sentOrdinal(command.sequence());
        if (ordinal < 0 || ledger.qosAt(ordinal) != Qos.EXACTLY_ONCE.value()) {
            answer.reply(InboxReply.DONE);
            return;
        }
        ledger.setReceived(ordinal, true);
        // an earlier batch may write the mark too, but may fail: wait for the batch that certainly has it
        Batch batch = writes.openBatch();
        batch.wantProgress(state);
        batch.whenDone(new ReceivedMark(command.sequence(), answer));
    }

    public void complete(AttachmentCommand.Complete command) {
        long ordinal = sentOrdinal(command.sequence());
        if (ordinal >= 0 && ledger.qosAt(ordinal) == Qos.EXACTLY_ONCE.value()) {
            finish(command.sequence(), ordinal);
        }
        outbox.pump();
    }

    // --- called by the leader

    /**
     * A QoS 2 message was not stored. Its client will send it again on another connection, so later ones must be
     * refused.
     */
    public void refuseReceives(RangeException cause) {
        receivesRefused = cause;
    }

    /** Why QoS 2 messages are refused; null while they are taken. */
    public @Nullable RangeException receivesRefused() {
        return receivesRefused;
    }

    /** A message was sent before it is stored; see {@code InsertHandler}. */
    public void sentEarly(PlacedCopy copy, Insert insert, Batch batch) {
        copy.wasSentEarly = true;
        early.add(new Early(copy, insert, batch));
    }

    /** Carries out a replay step, after those before it. */
    public void replay(ReplayStep step, Answer answer) {
        waitingSteps.add(new WaitingStep(step, answer));
        goOnReplaying();
    }

    /** Carries out the waiting replay steps that need not wait any more. */
    @Override
    public void goOnReplaying() {
        while (!waitingSteps.isEmpty() && !closed && !settling.isSettling() && !mustNextWait()) {
            writes.closeFullBatch();
            WaitingStep next = waitingSteps.remove();
            replays.take(next.step, next.answer);
        }
    }

    private boolean mustNextWait() {
        return replays.mustWait(waitingSteps.element().step);
    }

    /**
     * The subscription is made again: a waiting step of the old replay must not start the new replay in the wrong
     * place.
     */
    public void refuseReplays(TopicFilter filter) {
        waitingSteps.removeIf(waiting -> {
            boolean isRefused = waiting.step.filter().equals(filter);
            if (isRefused) {
                waiting.answer.reply(new InboxReply.Replay(ReplayOutcome.BEHIND));
            }
            return isRefused;
        });
    }

    /** The detach that the connection asked for is decided. */
    public void detaching() {
        deliveries.next(InboxDelivery.DETACHING);
    }

    /**
     * Ends the attachment; later commands of the connection have no effect. Returns the QoS 0 messages that were not
     * sent.
     */
    public List<QueuedCopy> close() {
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
     * Its leader stops in good order: hands over the state that the next leader needs, then notifies the connection.
     *
     * @param untilMillis when the connection counts as lost
     */
    public void move(RangeException cause, MovedSessions to, LeaderContext leader, long untilMillis) {
        end(cause);
        boolean hasCredit = outbox.credit() > 0;
        MovedSession moved =
                new MovedSession(incarnation, attachNumber, ledger.sentBelow(), hasCredit, outbox.takePlaces());
        moved.comeTo(null);
        moved.waitUntil(untilMillis);
        to.leave(state.id, moved, leader);
        deliveries.next(new InboxDelivery.Detached(InboxListener.Reason.MOVED));
    }

    /** Ends the attachment and notifies the connection. Returns the QoS 0 messages that were not sent. */
    public List<QueuedCopy> close(InboxListener.Reason reason) {
        List<QueuedCopy> left = close();
        mayDetachLate = reason == InboxListener.Reason.UNAVAILABLE;
        deliveries.next(new InboxDelivery.Detached(reason));
        return left;
    }

    /** The ordinal of an unfinished message that was sent on this attachment, else -1. */
    private long sentOrdinal(long sequence) {
        long ordinal = ledger.find(sequence);
        return ordinal < ledger.cursor() ? ordinal : -1;
    }

    /** Waits for the write of a PUBREC mark. */
    private final class ReceivedMark implements Pending.Waiter {
        private final long sequence;
        private final Answer answer;

        ReceivedMark(long sequence, Answer answer) {
            this.sequence = sequence;
            this.answer = answer;
        }

        @Override
        public void applied() {
            if (state.residency.isDiscarded() || state.queue.ledger() != ledger) {
                answer.fail(Mailbox.closed()); // the batch left the mark out
            } else {
                answer.reply(InboxReply.DONE);
            }
        }

        @Override
        public void failed(RangeException cause) {
            long ordinal = ledger.find(sequence);
            // an attachment that followed has written the mark itself, see Attaching
            if (ordinal >= 0 && !closed) {
                ledger.setReceived(ordinal, false); // no PUBREL may follow
            }
            answer.fail(cause);
        }
    }

    private void finish(long sequence, long ordinal) {
        writes.finish(state, ordinal);
        while (!early.isEmpty() && early.element().batch().isDone()) {
            early.remove();
        }
        if (early.isEmpty()) {
            return;
        }
        for (var waiting = early.iterator(); waiting.hasNext(); ) {
            Early sent = waiting.next();
            if (sent.copy().sequence == sequence) {
                waiting.remove();
                if (sent.batch().isSealed()) {
                    sent.insert().acknowledged(sent.copy());
                } else {
                    sent.insert().takeBack(sent.copy());
                    writes.copyTakenBack(sent.batch());
                }
                return;
            }
        }
    }
}
