package io.godwit.inbox.leader.command;

import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.OriginDigest;
import io.godwit.inbox.client.SessionOwner;
import io.godwit.inbox.format.StoredWill;
import io.godwit.inbox.leader.end.Expiry;
import io.godwit.inbox.leader.end.Obligations;
import io.godwit.inbox.leader.end.SessionEnds;
import io.godwit.inbox.leader.qos.InboundHandler;
import io.godwit.inbox.leader.queue.Writes;
import io.godwit.inbox.leader.session.LeaderSession;
import io.godwit.inbox.leader.state.Answering;
import io.godwit.inbox.leader.state.ConfirmedAnswers;
import io.godwit.inbox.leader.state.InboxState;
import io.godwit.inbox.leader.state.InboxStates;
import io.godwit.inbox.leader.state.Reminders;
import io.godwit.inbox.leader.state.SessionRecords;
import io.godwit.inbox.local.SessionCall;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.inbox.protocol.SessionCommand;
import io.godwit.inbox.report.InboxReports;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.event.SessionEndCause;
import java.util.Objects;

/** Carries out commands about sessions. Owned by the range leader. */
public final class SessionHandler {
    private final Writes writes;
    private final InboxStates states;
    private final NewSessions newSessions;
    private final SessionRecords records;
    private final Reminders reminders;
    private final SessionEnds ends;
    private final Obligations obligations;
    private final InboundHandler inbound;
    private final Expiry expiry;
    private final Attaching attaching;
    private final Purges purges;
    private final FilterChanges filterChanges;
    private final ConfirmedAnswers confirmed;
    private final InboxReports reports;

    public SessionHandler(
            SessionLife life,
            InboundHandler inbound,
            Expiry expiry,
            Attaching attaching,
            Purges purges,
            FilterChanges filterChanges,
            ConfirmedAnswers confirmed,
            InboxReports reports) {
        this.writes = life.writes();
        this.states = life.states();
        this.newSessions = life.newSessions();
        this.records = life.records();
        this.reminders = life.reminders();
        this.ends = life.ends();
        this.obligations = life.obligations();
        this.inbound = inbound;
        this.expiry = expiry;
        this.attaching = attaching;
        this.purges = purges;
        this.filterChanges = filterChanges;
        this.confirmed = confirmed;
        this.reports = reports;
    }

    /** Leaves calls that wait for a proof of the leadership to the next leader. */
    public void stop(RangeException cause) {
        confirmed.stop(cause);
    }

    private void replyConfirmed(Answer answer, InboxReply reply) {
        confirmed.answer(() -> answer.reply(reply), answer::fail);
    }

    /** Carries out a command about a loaded session. */
    public void handle(InboxState state, SessionCall call) {
        call.command().choose(new Handling(state, call));
    }

    private final class Handling implements SessionCommand.Cases {
        private final InboxState state;
        private final SessionCall call;

        Handling(InboxState state, SessionCall call) {
            this.state = state;
            this.call = call;
        }

        @Override
        public void attach(SessionCommand.Attach command) {
            attaching.attach(state, command.request(), call.deliveries(), call.answer());
        }

        @Override
        public void goOn(SessionCommand.Continue command) {
            attaching.continueAttachment(state, command.request(), call.deliveries(), call.answer());
        }

        @Override
        public void owner(SessionCommand.Owner command) {
            replyConfirmed(call.answer(), new InboxReply.Owner(SessionHandler.this.owner(state, command.client())));
        }

        @Override
        public void keepWill(SessionCommand.KeepWill command) {
            SessionHandler.this.keepWill(state, command, call.answer());
        }

        @Override
        public void markDistributed(SessionCommand.MarkDistributed command) {
            LeaderSession session = state.session();
            boolean isMarking = session != null
                    && session.incarnation == command.incarnation()
                    && inbound.distributed(state, command.packetId(), command.tokenNumber(), call.answer());
            if (!isMarking) {
                replyConfirmed(call.answer(), InboxReply.DONE);
            }
        }

        @Override
        public void markKept(SessionCommand.MarkKept command) {
            LeaderSession session = state.session();
            String origin = session == null ? null : InboxState.origin(state.id, session.incarnation);
            boolean isMarking = origin != null
                    && OriginDigest.of(origin).equals(command.originDigest())
                    && inbound.distributed(state, command.tokenNumber(), call.answer());
            if (!isMarking) {
                replyConfirmed(call.answer(), InboxReply.DONE);
            }
        }

        @Override
        public void delete(SessionCommand.Delete command) {
            SessionHandler.this.delete(state, command, call.answer());
        }

        @Override
        public void purge(SessionCommand.Purge command) {
            purges.purge(state, call.answer());
        }

        @Override
        public void changeFilters(SessionCommand.ChangeFilters command) {
            filterChanges.change(state, command, call.answer());
        }

        @Override
        public void detachLate(SessionCommand.DetachLate command) {
            throw new IllegalStateException("its inbox is not loaded for it");
        }
    }

    /** Who owns the session, from the point of view of {@code client}. */
    private SessionOwner owner(InboxState state, ClientInfo client) {
        LeaderSession session = state.session();
        if (session == null || !state.isHeld() && reminders.hasExpired(session)) {
            return SessionOwner.NO_SESSION;
        }
        String user = session.client().userName();
        if (Objects.equals(user, client.userName())) {
            return SessionOwner.SAME_USER;
        }
        return user == null ? SessionOwner.NO_USER : SessionOwner.OTHER_USER;
    }

    /** See {@link io.godwit.inbox.client.InboxClient#keepWill}. */
    private void keepWill(InboxState state, SessionCommand.KeepWill command, Answer answer) {
        expiry.checkTimes(state);
        if (state.session() != null || !state.owed().isEmpty()) {
            SessionRecords.whenRecorded(state, new Answering(states, state, answer, InboxReply.DONE));
            return;
        }
        RangeException full = command.isRecorded() ? null : writes.diskFull();
        if (full != null) {
            answer.fail(full);
            return;
        }
        LeaderSession session = newSessions.begin(state, command.client(), command.expirySeconds());
        session.setWill(newSessions.storedWill(state, session, command.will()));
        ends.detached(state, session);
        writes.openBatch().whenDone(new Answering(states, state, answer, InboxReply.DONE));
        obligations.settleOnceWritten(state);
    }

    private void delete(InboxState state, SessionCommand.Delete command, Answer answer) {
        LeaderSession session = state.session();
        StoredWill will = session == null ? null : session.will();
        if (session == null || command.discardsWill() && will == null) {
            // the end of the session may be in a pending write: if that fails, the session exists again
            InboxReply none = InboxReply.Flag.of(false);
            if (state.writes.recordUnderWay() == null) {
                replyConfirmed(answer, none);
            } else {
                SessionRecords.whenRecorded(state, new Answering(states, state, answer, none));
            }
            return;
        }
        if (command.discardsWill() && will != null) {
            session.setWill(null);
            reports.dropped(state.id, will.message().topic(), DropReason.PURGED);
        }
        ends.cutOff(state, InboxListener.Reason.DELETED);
        ends.end(state, session, command.isForOperator() ? SessionEndCause.DELETED : SessionEndCause.GIVEN_UP);
        records.write(state);
        writes.openBatch().whenDone(new Answering(states, state, answer, InboxReply.Flag.of(true)));
        obligations.settleOnceWritten(state);
    }
}
