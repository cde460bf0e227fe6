package io.godwit.inbox.leader.command;

import io.godwit.inbox.format.QueuedCopy;
import io.godwit.inbox.leader.delivery.Attachment;
import io.godwit.inbox.leader.queue.Batch;
import io.godwit.inbox.leader.queue.Mailbox;
import io.godwit.inbox.leader.queue.Writes;
import io.godwit.inbox.leader.session.LeaderSession;
import io.godwit.inbox.leader.state.Answering;
import io.godwit.inbox.leader.state.ConfirmedAnswers;
import io.godwit.inbox.leader.state.InboxState;
import io.godwit.inbox.leader.state.InboxStates;
import io.godwit.inbox.leader.state.Reminders;
import io.godwit.inbox.leader.state.SessionRecords;
import io.godwit.inbox.ledger.Ledger;
import io.godwit.inbox.ledger.Pending;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.inbox.report.InboxReports;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.event.DropReason;
import java.util.List;

/**
 * Empties queues for operators. Owned by the range leader.
 *
 * <p>A purged message is finished, as if its client had acknowledged it: so the marks of one batch empty a queue of any
 * length, and its space is reclaimed as usual. A purge runs in order with the other requests of the inbox. Inserted
 * messages that are not stored yet stay: their publishers have no answer, so they count as later ones. Messages that
 * may have been sent at QoS 1 or 2 stay too, because the client may have them and answer, and their packet ids must not
 * be used for other messages before that [MQTT5-4.4.0-1], [MQTT5-2.2.1-4].
 */
public final class Purges {
    private final Writes writes;
    private final InboxStates states;
    private final Reminders reminders;
    private final InboxReports reports;
    private final ConfirmedAnswers confirmed;

    public Purges(
            Writes writes, InboxStates states, Reminders reminders, InboxReports reports, ConfirmedAnswers confirmed) {
        this.writes = writes;
        this.states = states;
        this.reminders = reminders;
        this.reports = reports;
        this.confirmed = confirmed;
    }

    void purge(InboxState state, Answer answer) {
        LeaderSession session = state.session();
        boolean isStored =
                session != null && session.expirySeconds() > 0 && (state.isHeld() || !reminders.hasExpired(session));
        if (!isStored) {
            none(state, answer);
            return;
        }
        int messages = empty(state);
        InboxReply reply =
                new InboxReply.Purged(true, messages, state.queue.ledger().sentLive());
        if (messages == 0 && !state.writes.isDirty() && !state.writes.isUnderWay()) {
            confirmed.answer(() -> answer.reply(reply), answer::fail);
            return;
        }
        Batch batch = writes.openBatch();
        batch.wantProgress(state);
        batch.whenDone(new Marked(state, answer, reply));
    }

    private void none(InboxState state, Answer answer) {
        InboxReply none = InboxReply.Purged.NO_SESSION;
        if (state.session() == null && state.writes.recordUnderWay() != null) {
            // the end of the session may be in a pending write: if that fails, the session exists again
            SessionRecords.whenRecorded(state, new Answering(states, state, answer, none));
        } else {
            confirmed.answer(() -> answer.reply(none), answer::fail);
        }
    }

    /** Finishes the messages in memory; returns how many. */
    private int empty(InboxState state) {
        Ledger ledger = state.queue.ledger();
        long[] sequences = ledger.unsentUpTo(state.queue.appliedSequence());
        for (long sequence : sequences) { // by sequence: ordinals change while messages are finished
            long ordinal = ledger.find(sequence);
            reports.dropped(state.id, ledger.topicAt(ordinal), DropReason.PURGED);
            writes.finish(state, ordinal);
        }
        Attachment attachment = state.attachment();
        List<QueuedCopy> unsent =
                attachment == null ? List.of() : attachment.outbox().purged();
        reports.dropped(state.id, unsent, DropReason.PURGED);
        state.queue.relieved(state.id, reports);
        return sequences.length + unsent.size();
    }

    /** The marks are stored now or with a later batch; a failure leaves the memory as it is. */
    private record Marked(InboxState state, Answer answer, InboxReply reply) implements Pending.Waiter {
        @Override
        public void applied() {
            if (state.residency.isDiscarded()) { // perhaps before the batch was sealed, which then had no marks
                answer.fail(Mailbox.closed());
            } else {
                answer.reply(reply);
            }
        }

        @Override
        public void failed(RangeException cause) {
            answer.fail(cause);
        }
    }
}
