package io.godwit.inbox.leader.end;

import io.godwit.inbox.format.QueuedCopy;
import io.godwit.inbox.format.StoredWill;
import io.godwit.inbox.leader.delivery.Attachment;
import io.godwit.inbox.leader.delivery.Settling;
import io.godwit.inbox.leader.qos.InboundHandler;
import io.godwit.inbox.leader.queue.Mailbox;
import io.godwit.inbox.leader.queue.Writes;
import io.godwit.inbox.leader.session.LeaderSession;
import io.godwit.inbox.leader.state.Agenda;
import io.godwit.inbox.leader.state.Answering;
import io.godwit.inbox.leader.state.DiscardOnFailure;
import io.godwit.inbox.leader.state.InboxState;
import io.godwit.inbox.leader.state.InboxStates;
import io.godwit.inbox.leader.state.RangeWork;
import io.godwit.inbox.leader.state.Reminders;
import io.godwit.inbox.ledger.ConnectionEnd;
import io.godwit.inbox.ledger.Holds;
import io.godwit.inbox.ledger.MovedSession;
import io.godwit.inbox.ledger.MovedSessions;
import io.godwit.inbox.ledger.Pending;
import io.godwit.inbox.ledger.Qos0Room;
import io.godwit.inbox.ledger.QueueSettings;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.inbox.report.InboxReports;
import io.godwit.inbox.report.RecordCount;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.coprocessor.LeaderContext;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Handles the ends of connections: by a DISCONNECT, or with a leader whose end shows when an inbox is loaded. Owned by
 * the range leader.
 */
public final class Departures {
    /** Ends of connections that could not be written; each is used when its inbox is loaded again, soon after. */
    private final Map<InboxId, ConnectionEnd> unwritten = new HashMap<>(0);

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
    private final Settling settling;
    private final RecordCount.Part recordCount;
    private final Holds holds;
    private final InboxReports reports;

    public Departures(
            RangeWork work, Aftermath aftermath, Settling settling, RecordCount.Part recordCount, Qos0Room room) {
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
        this.settling = settling;
        this.recordCount = recordCount;
        this.holds = room.holds();
        this.reports = room.reports();
    }

    /** @param expirySeconds -1 for the value of CONNECT */
    public void detach(InboxState state, long expirySeconds, boolean publishWill, Answer answer) {
        LeaderSession session = state.session();
        Attachment attachment = state.attachment();
        if (session == null || attachment == null) {
            answer.fail(Mailbox.closed());
            return;
        }
        List<QueuedCopy> unsent = attachment.close();
        state.letGo();
        state.queue.leaveInbound();
        if (expirySeconds >= 0) {
            session.setExpirySeconds(settings.boundedExpiry(expirySeconds));
            session.termsWrittenBy(writes.openBatch());
        }
        if (!publishWill) {
            ends.suppressWill(state, session);
        }
        ends.detached(state, session);
        // wait for the batch that has the record; the QoS 0 messages may fill several more
        ConnectionEnd disconnect =
                new ConnectionEnd(session.incarnation, session.attachNumber(), expirySeconds, publishWill, true);
        writes.openBatch().whenDone(new Recording(state, disconnect));
        writes.openBatch().whenDone(new Answering(states, state, answer, InboxReply.DONE));
        obligations.settleOnceWritten(state);
        ends.keepUnsent(state, unsent);
        if (state.session() != null && session.isInboundOpen()) {
            inbound.resumeLater(state);
        }
        attachment.detaching();
    }

    /**
     * A connection has ended whose attachment was already over. That still counts if its inbox could not be written.
     */
    public void detachedLate(InboxId id, ConnectionEnd disconnect) {
        if (states.isToBeLoaded(id)) {
            unwritten.put(id, disconnect);
            agenda.lookAgain(id, 0); // loads the inbox, which uses the entry
        }
    }

    /** Hands unwritten ends of connections to the next leader on this node. */
    public void leaveUnwritten() {
        unwritten.forEach((id, disconnect) -> movedSessions.leave(id, disconnect, context));
        unwritten.clear();
    }

    /** Remembers how a connection ended if that could not be written. */
    private final class Recording implements Pending.Waiter {
        private final InboxState state;
        private final ConnectionEnd disconnect;

        Recording(InboxState state, ConnectionEnd disconnect) {
            this.state = state;
            this.disconnect = disconnect;
        }

        @Override
        public void applied() {}

        @Override
        public void failed(RangeException cause) {
            unwritten.put(state.id, disconnect);
            states.discard(state);
        }
    }

    /**
     * The state has just been loaded: an attachment in it belongs to a previous leader. Its connection may come here,
     * if that leader ended in good order on this node; else it ended without a DISCONNECT.
     */
    public void loaded(InboxState state) {
        if (!state.hasNothing()) {
            recordCount.written(state.id); // its deletion may have been cancelled
        }
        LeaderSession session = state.session();
        ConnectionEnd disconnect = takeUnwritten(state.id);
        Long cutOff = states.takeCutOff(state.id);
        MovedSession moved = movedSessions.take(state.id, session, context, reports);
        if (moved == null && session != null && session.isAttached() && disconnect == null && cutOff == null) {
            moved = ofAnotherNode(state, session);
        }
        state.queue.ledger().markSentBelow(sentBelow(state, moved));
        if (cutOff != null) {
            state.queue.ledger().markSentBelow(cutOff); // on a full disk deliveries continue without being recorded
        }
        if (moved != null) {
            state.await(moved);
            moved.comeTo(holds);
            if (settling.isSettling()) {
                settling.announce(state);
            }
            agenda.remind(state.id, moved.untilMillis());
            obligations.settleOnceWritten(state);
            return;
        }
        if (session != null && session.isAttached()) {
            boolean hasSaid = disconnect != null && disconnect.isOf(session);
            if (disconnect != null && hasSaid) {
                applyTerms(state, session, disconnect);
            }
            ends.detached(state, session);
            writes.openBatch()
                    .whenDone(
                            disconnect != null && hasSaid
                                    ? new Recording(state, disconnect)
                                    : new DiscardOnFailure(states, state));
        } else {
            reminders.remindOf(state);
        }
        inbound.resume(state);
        obligations.settleOnceWritten(state);
    }

    /** In a cluster the connection may be on another live node: waits for it. Null on a node that is alone. */
    private @Nullable MovedSession ofAnotherNode(InboxState state, LeaderSession session) {
        long waitMillis = settings.attachedWaitMillis();
        return waitMillis == 0
                ? null
                : MovedSession.ofAnotherNode(session, state.queue.storedSentBelow(), context.nowMillis() + waitMillis);
    }

    /**
     * State handed over on this node may be older than a leadership on another node; the store then has an upper bound.
     */
    private long sentBelow(InboxState state, @Nullable MovedSession moved) {
        if (moved == null) {
            return state.queue.storedSentBelow();
        }
        return settings.isClustered() ? Math.max(moved.sentBelow, state.queue.storedSentBelow()) : moved.sentBelow;
    }

    private @Nullable ConnectionEnd takeUnwritten(InboxId id) {
        ConnectionEnd own = unwritten.remove(id);
        return own != null ? own : movedSessions.takeDisconnect(id, context);
    }

    private void applyTerms(InboxState state, LeaderSession session, ConnectionEnd disconnect) {
        if (disconnect.expirySeconds() >= 0) {
            session.setExpirySeconds(settings.boundedExpiry(disconnect.expirySeconds()));
        }
        StoredWill will = session.will();
        if (!disconnect.publishWill() && will != null) {
            session.setWill(null);
            if (!disconnect.isWillReported()) {
                reports.willSuppressed(state.id, will.message().topic());
            }
        }
    }
}
