package io.godwit.inbox.leader.end;

import io.godwit.inbox.expiry.SessionTimes;
import io.godwit.inbox.format.QueuedCopy;
import io.godwit.inbox.format.StoredWill;
import io.godwit.inbox.leader.qos.InboundHandler;
import io.godwit.inbox.leader.queue.Writes;
import io.godwit.inbox.leader.session.LeaderSession;
import io.godwit.inbox.leader.state.Agenda;
import io.godwit.inbox.leader.state.DiscardOnFailure;
import io.godwit.inbox.leader.state.InboxState;
import io.godwit.inbox.leader.state.InboxStates;
import io.godwit.inbox.leader.state.RangeWork;
import io.godwit.inbox.leader.state.Reminders;
import io.godwit.inbox.leader.state.SessionRecords;
import io.godwit.inbox.ledger.MovedSession;
import io.godwit.inbox.ledger.MovedSessions;
import io.godwit.inbox.ledger.QueueSettings;
import io.godwit.kv.client.WaitReports;
import io.godwit.kv.coprocessor.LeaderContext;
import io.godwit.plugin.event.NodeWait;
import io.godwit.plugin.event.SessionEndCause;
import java.time.Duration;
import java.util.List;

/** Ends sessions and publishes wills when they are due. Owned by the range leader. */
public final class Expiry {
    private final LeaderContext context;
    private final QueueSettings settings;
    private final Writes writes;
    private final InboxStates states;
    private final Agenda agenda;
    private final Reminders reminders;
    private final SessionEnds ends;
    private final Obligations obligations;
    private final InboundHandler inbound;
    private final MovedSessions movedSessions;
    private final SessionRecords records;
    private final WaitReports waits;

    public Expiry(RangeWork work, Aftermath aftermath, SessionRecords records, WaitReports waits) {
        this.context = work.context();
        this.settings = work.settings();
        this.writes = work.writes();
        this.states = work.states();
        this.agenda = work.agenda();
        this.reminders = work.reminders();
        this.ends = aftermath.ends();
        this.obligations = aftermath.obligations();
        this.inbound = aftermath.inbound();
        this.movedSessions = aftermath.moved();
        this.records = records;
        this.waits = waits;
    }

    /** Ends the session or publishes its will if that is due. */
    public void checkTimes(InboxState state) {
        LeaderSession session = state.session();
        if (session == null || state.attachment() != null) {
            return;
        }
        long now = context.nowMillis();
        MovedSession awaited = state.awaited();
        if (awaited != null) {
            if (awaited.untilMillis() <= now) {
                loseInTurn(state, session, awaited, now);
            }
            return;
        }
        StoredWill will = session.will();
        if (SessionTimes.endsAt(session.detachedAtMillis(), session.expirySeconds()) <= now) {
            ends.end(state, session, SessionEndCause.EXPIRED);
        } else if (will != null && Reminders.willDueAt(session, will) <= now) {
            ends.owe(state, session);
        } else {
            reminders.remindOf(state);
            return;
        }
        records.write(state);
        writes.openBatch().whenDone(new DiscardOnFailure(states, state));
        reminders.remindOf(state);
        obligations.settleOnceWritten(state);
    }

    /**
     * The awaited connection has not come. Many may be missing with their node, so the will waits for its paced turn.
     */
    private void loseInTurn(InboxState state, LeaderSession session, MovedSession awaited, long now) {
        boolean isInTurn = session.will() != null && !awaited.hasTurn();
        long turn = isInTurn ? movedSessions.turn(now) : now;
        if (turn <= now) {
            lost(state, session, awaited);
        } else {
            awaited.waitForTurn(turn);
            agenda.remind(state.id, turn);
        }
    }

    /** The awaited connection counts as lost. */
    private void lost(InboxState state, LeaderSession session, MovedSession awaited) {
        if (settings.isClustered()) {
            waits.ranOut(
                    NodeWait.CONNECTION,
                    Duration.ofMillis(settings.attachedWaitMillis()),
                    () -> "connection of " + state.id.clientId().value());
        }
        List<QueuedCopy> unsent = awaited.unsent(state.queue.ledger());
        state.letGo();
        ends.detached(state, session);
        writes.openBatch().whenDone(new DiscardOnFailure(states, state));
        obligations.settleOnceWritten(state);
        ends.keepUnsent(state, unsent);
        inbound.resume(state);
    }
}
