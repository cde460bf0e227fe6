package io.godwit.inbox.leader.end;

import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.format.EndedSession;
import io.godwit.inbox.format.FilterTable;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.format.QueuedCopy;
import io.godwit.inbox.format.Remains;
import io.godwit.inbox.format.StoredWill;
import io.godwit.inbox.leader.delivery.Attachment;
import io.godwit.inbox.leader.qos.Qos0Store;
import io.godwit.inbox.leader.queue.Batch;
import io.godwit.inbox.leader.queue.Mailbox;
import io.godwit.inbox.leader.queue.Writes;
import io.godwit.inbox.leader.session.LeaderSession;
import io.godwit.inbox.leader.session.OwedRetained;
import io.godwit.inbox.leader.state.InboxState;
import io.godwit.inbox.leader.state.Reminders;
import io.godwit.inbox.leader.state.SessionRecords;
import io.godwit.inbox.leader.state.StockKeeping;
import io.godwit.inbox.ledger.InboundFlows;
import io.godwit.inbox.ledger.Ledger;
import io.godwit.inbox.ledger.MovedSession;
import io.godwit.inbox.report.InboxReports;
import io.godwit.kv.coprocessor.LeaderContext;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.event.SessionEndCause;
import io.godwit.plugin.message.Qos;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Detaches and ends sessions. Owned by the range leader.
 *
 * <p>Each method changes the {@link InboxState}; where documented, the new record joins the open batch. A session that
 * ends moves from the record's session to its list of ended ones, with its filters, and one range delete removes its
 * queue, all in one mutation; {@link Obligations} does the rest. If the queue has messages of shared groups that other
 * members may get, it stays until they have them; the next session of the client id begins after it.
 */
public final class SessionEnds {
    private final LeaderContext context;
    private final Writes writes;
    private final StockKeeping stock;
    private final SessionRecords records;
    private final Reminders reminders;
    private final Qos0Store qos0;
    private final InboxReports reports;

    public SessionEnds(
            LeaderContext context,
            Writes writes,
            StockKeeping stock,
            SessionRecords records,
            Reminders reminders,
            Qos0Store qos0,
            InboxReports reports) {
        this.context = context;
        this.writes = writes;
        this.stock = stock;
        this.records = records;
        this.reminders = reminders;
        this.qos0 = qos0;
        this.reports = reports;
    }

    /** Ends what a new connection does not continue: the old connection, the session, or a pending will. */
    public void leaveBehind(InboxState state, boolean cleanStart) {
        LeaderSession session = state.session();
        if (session == null) {
            return;
        }
        boolean takeover = state.isHeld();
        if (takeover) {
            cutOff(state, InboxListener.Reason.TAKEN_OVER);
        }
        long now = context.nowMillis();
        boolean expired = takeover ? session.expirySeconds() == 0 : reminders.hasExpired(session);
        if (cleanStart || expired) {
            end(state, session, expired ? SessionEndCause.EXPIRED : SessionEndCause.CLEAN_START);
            return;
        }
        StoredWill will = session.will();
        // the session continues, so a will is sent only if its delay is over or it has none [MQTT5-3.1.3-9]
        if (will != null && (takeover ? will.delaySeconds() == 0 : Reminders.willDueAt(session, will) <= now)) {
            owe(state, session);
        }
        suppressWill(state, session);
    }

    /** Cancels the will. */
    void suppressWill(InboxState state, LeaderSession session) {
        StoredWill will = session.will();
        if (will != null) {
            session.setWill(null);
            session.termsWrittenBy(writes.openBatch());
            reports.willSuppressed(state.id, will.message().topic());
        }
    }

    /** Ends the connection that has the session, present or awaited. */
    public void cutOff(InboxState state, InboxListener.Reason reason) {
        Attachment attachment = state.attachment();
        MovedSession awaited = state.awaited();
        List<QueuedCopy> unsent;
        if (attachment != null) {
            state.letGo();
            unsent = attachment.close(reason);
            state.queue.leaveInbound();
        } else if (awaited != null) {
            state.letGo(); // its connection will be refused when it comes
            unsent = awaited.unsent(state.queue.ledger());
        } else {
            return;
        }
        if (reason == InboxListener.Reason.TAKEN_OVER) {
            qos0.storeAll(state, unsent);
        } else {
            reports.dropped(state.id, unsent, DropReason.SESSION_ENDED);
        }
    }

    /** Keeps the QoS 0 messages of a connection for its session if that exists, else drops them. */
    void keepUnsent(InboxState state, List<QueuedCopy> unsent) {
        if (state.session() != null) {
            qos0.storeAll(state, unsent);
        } else {
            reports.dropped(state.id, unsent, DropReason.SESSION_ENDED);
        }
    }

    /** The session has lost its connection; it may end at once. Writes the record. */
    public void detached(InboxState state, LeaderSession session) {
        InboundFlows flows = state.queue.knownInbound();
        session.detach(context.nowMillis(), flows != null && flows.hasUndistributed());
        stock.sessionChanged(state);
        StoredWill will = session.will();
        if (session.expirySeconds() == 0) {
            end(state, session, SessionEndCause.GIVEN_UP);
        } else if (will != null && will.delaySeconds() == 0) {
            owe(state, session);
        } else if (will != null) {
            Duration delay = Duration.ofMillis(Reminders.willDueAt(session, will) - session.detachedAtMillis());
            reports.willDelayed(state.id, will.message().topic(), delay);
        }
        records.write(state);
        if (state.queue.hasData()) {
            writes.openBatch().wantProgress(state); // from here on the stored bound of sent messages is exact
        }
        reminders.remindOf(state);
    }

    /** Ends the session in the state: its will becomes owed, and its routes are to be removed. */
    public void end(InboxState state, LeaderSession session, SessionEndCause cause) {
        if (session.isKept()) {
            reports.sessionEnded(state.id, cause);
        }
        state.queue.relieved(state.id, reports);
        owe(state, session);
        Remains remains = leave(state, session);
        boolean isBehindOthers = state.ended().stream().anyMatch(each -> each.remains() != null);
        if (!session.filters().isEmpty() || remains != null) {
            state.ended()
                    .add(new EndedSession(
                            session.incarnation, List.copyOf(session.filters().all()), remains));
        }
        Batch batch = writes.openBatch();
        session.filters().all().stream()
                .mapToInt(FilterTable::pageOf)
                .distinct()
                .forEach(page -> batch.delete(state, InboxKeys.filtersSuffix(page)));
        OwedRetained retained = session.retained();
        if (retained != null) {
            retained.over(batch);
        }
        if (state.queue.hasData() && remains == null && !isBehindOthers) {
            batch.deleteRange(state, InboxKeys.suffix(InboxKeys.PROGRESS), InboxKeys.suffix(InboxKeys.END));
        } else if (state.queue.hasData()) {
            batch.deleteRange(state, InboxKeys.suffix(InboxKeys.PROGRESS), InboxKeys.suffix(InboxKeys.RUN));
            batch.deleteRange(state, InboxKeys.suffix(InboxKeys.RETAINED), InboxKeys.suffix(InboxKeys.END));
            if (remains == null) {
                batch.deleteMessages(
                        state, session.first, state.queue.sequences().peek());
            }
        }
        state.writes.setDirty(false);
        state.setSession(null);
        stock.sessionChanged(state);
        state.queue.end(Mailbox.closed());
        state.writes.setProgressNotBefore(batch.id);
    }

    /**
     * The messages of its queue that other members of shared groups get: QoS 1, and QoS 2 that was not sent
     * [MQTT5-4.8.2-5]. The rest is dropped, counted and reported.
     */
    private @Nullable Remains leave(InboxState state, LeaderSession session) {
        Ledger ledger = state.queue.ledger();
        long[] left = new long[ledger.liveQueued()];
        int count = 0;
        for (long ordinal = ledger.headOrdinal(); ordinal < ledger.tailOrdinal(); ordinal++) {
            if (ledger.isFinishedAt(ordinal)) {
                continue;
            }
            boolean wasSentOnce = ledger.qosAt(ordinal) == Qos.EXACTLY_ONCE.value() && ordinal < ledger.sentEnd();
            if (ledger.isOfGroupAt(ordinal) && !wasSentOnce) {
                left[count++] = ledger.sequenceAt(ordinal);
            } else {
                reports.dropped(state.id, ledger.topicAt(ordinal), DropReason.SESSION_ENDED);
            }
        }
        return count == 0
                ? null
                : new Remains(session.first, state.queue.sequences().peek(), Arrays.copyOf(left, count), false);
    }

    /** Makes the will, if there is one, due now. */
    void owe(InboxState state, LeaderSession session) {
        StoredWill will = session.will();
        if (will != null) {
            state.owed().add(will.owedSince(context.nowMillis()));
            session.setWill(null);
        }
    }
}
