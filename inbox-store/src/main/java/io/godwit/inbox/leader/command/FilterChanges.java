package io.godwit.inbox.leader.command;

import io.godwit.inbox.leader.queue.Writes;
import io.godwit.inbox.leader.session.LeaderSession;
import io.godwit.inbox.leader.state.Answering;
import io.godwit.inbox.leader.state.ConfirmedAnswers;
import io.godwit.inbox.leader.state.InboxState;
import io.godwit.inbox.leader.state.InboxStates;
import io.godwit.inbox.leader.state.Reminders;
import io.godwit.inbox.leader.state.SessionRecords;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.inbox.protocol.InboxReply.FiltersChanged;
import io.godwit.inbox.protocol.SessionCommand.ChangeFilters;
import io.godwit.kv.client.RangeException;

/**
 * Changes the subscriptions of sessions that have no connection, for operators. Owned by the range leader.
 *
 * <p>The caller holds the client id, so that no connection comes between this change and that of the routes. The
 * session counts an attachment without being attached: its will and expiry stay, and pending route changes of earlier
 * connections have lower numbers.
 */
public final class FilterChanges {
    private final Writes writes;
    private final InboxStates states;
    private final SessionRecords records;
    private final Reminders reminders;
    private final Subscriptions subscriptions;
    private final ConfirmedAnswers confirmed;
    private final boolean isClustered;

    public FilterChanges(
            Writes writes,
            InboxStates states,
            SessionRecords records,
            Reminders reminders,
            ConfirmedAnswers confirmed,
            boolean isClustered) {
        this.writes = writes;
        this.states = states;
        this.records = records;
        this.reminders = reminders;
        this.subscriptions = new Subscriptions(writes, states);
        this.confirmed = confirmed;
        this.isClustered = isClustered;
    }

    void change(InboxState state, ChangeFilters command, Answer answer) {
        LeaderSession session = state.session();
        if (state.isHeld() || session != null && session.isAttached()) {
            confirmed.answer(() -> answer.reply(FiltersChanged.HELD), answer::fail);
            return;
        }
        if (session == null || session.expirySeconds() == 0 || reminders.hasExpired(session)) {
            none(state, answer);
            return;
        }
        RangeException full = writes.diskFull();
        if (full != null && !command.added().isEmpty()) {
            answer.fail(full);
            return;
        }
        if (command.countsAttachment()) {
            session.countAttachment(isClustered);
            records.write(state);
        }
        Answer changed = new Changed(session.incarnation, session.attachNumber(), answer);
        if (command.added().isEmpty()) {
            subscriptions.unsubscribe(state, command.removed(), changed);
        } else {
            subscriptions.subscribe(state, command.added(), changed);
        }
    }

    private void none(InboxState state, Answer answer) {
        if (state.session() == null && state.writes.recordUnderWay() != null) {
            // the end of the session may be in a pending write: if that fails, the session exists again
            SessionRecords.whenRecorded(state, new Answering(states, state, answer, FiltersChanged.NO_SESSION));
        } else {
            confirmed.answer(() -> answer.reply(FiltersChanged.NO_SESSION), answer::fail);
        }
    }

    /** Adds to the answer what the caller needs for the routes. */
    private record Changed(long incarnation, long attachNumber, Answer answer) implements Answer {
        @Override
        public void reply(InboxReply reply) {
            answer.reply(new FiltersChanged(
                    FiltersChanged.Outcome.DONE, incarnation, attachNumber, ((InboxReply.Flags) reply).areSet()));
        }

        @Override
        public void fail(RangeException cause) {
            answer.fail(cause);
        }
    }
}
