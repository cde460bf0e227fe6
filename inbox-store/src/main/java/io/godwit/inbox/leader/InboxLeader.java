package io.godwit.inbox.leader;

import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.leader.command.AbsentSessions;
import io.godwit.inbox.leader.command.Attaching;
import io.godwit.inbox.leader.command.AttachmentCalls;
import io.godwit.inbox.leader.command.FilterChanges;
import io.godwit.inbox.leader.command.InsertHandler;
import io.godwit.inbox.leader.command.NewSessions;
import io.godwit.inbox.leader.command.Purges;
import io.godwit.inbox.leader.command.SessionHandler;
import io.godwit.inbox.leader.command.SessionLife;
import io.godwit.inbox.leader.command.Subscriptions;
import io.godwit.inbox.leader.delivery.Attachment;
import io.godwit.inbox.leader.delivery.Insert;
import io.godwit.inbox.leader.delivery.Outbox;
import io.godwit.inbox.leader.delivery.Settling;
import io.godwit.inbox.leader.end.Aftermath;
import io.godwit.inbox.leader.end.Departures;
import io.godwit.inbox.leader.end.Expiry;
import io.godwit.inbox.leader.end.Obligations;
import io.godwit.inbox.leader.end.SessionEnds;
import io.godwit.inbox.leader.qos.FinishedTokens;
import io.godwit.inbox.leader.qos.InboundHandler;
import io.godwit.inbox.leader.qos.Qos0Store;
import io.godwit.inbox.leader.queue.Batch;
import io.godwit.inbox.leader.queue.Inbox;
import io.godwit.inbox.leader.queue.Mailbox;
import io.godwit.inbox.leader.queue.Writes;
import io.godwit.inbox.leader.state.Agenda;
import io.godwit.inbox.leader.state.ConfirmedAnswers;
import io.godwit.inbox.leader.state.InboxState;
import io.godwit.inbox.leader.state.InboxStates;
import io.godwit.inbox.leader.state.RangeWork;
import io.godwit.inbox.leader.state.Reminders;
import io.godwit.inbox.leader.state.SessionRecords;
import io.godwit.inbox.leader.state.StockKeeping;
import io.godwit.inbox.leader.state.StockWalk;
import io.godwit.inbox.leader.state.Surroundings;
import io.godwit.inbox.ledger.ConnectionEnd;
import io.godwit.inbox.ledger.Holds;
import io.godwit.inbox.ledger.Ledger;
import io.godwit.inbox.ledger.MovedSession;
import io.godwit.inbox.ledger.MovedSessions;
import io.godwit.inbox.ledger.Qos0Room;
import io.godwit.inbox.ledger.QueueSettings;
import io.godwit.inbox.ledger.SharedTopics;
import io.godwit.inbox.local.InsertCall;
import io.godwit.inbox.local.Refusals;
import io.godwit.inbox.local.SessionCall;
import io.godwit.inbox.local.StoredInboxes;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.inbox.protocol.SessionCommand;
import io.godwit.inbox.report.InboxReports;
import io.godwit.inbox.report.RecordCount;
import io.godwit.inbox.report.Stock;
import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.client.Resend;
import io.godwit.kv.coprocessor.LeaderContext;
import io.godwit.kv.coprocessor.RangeLeader;
import java.util.List;

/**
 * The leader of one range of inboxes. It makes all decisions; the store only applies their outcome.
 *
 * <p>The life of a message: {@link InsertHandler} gives it a sequence and a place in the {@link Ledger} of each inbox
 * and puts it into the open {@link Batch}. When the log takes the batch it is encoded, with the finished marks of all
 * inboxes that have any ({@link Writes#sealing}). When it is applied, the publisher's answer goes out and
 * {@link Outbox} sends the message, from memory if the client keeps up, else from the store. The client's
 * acknowledgement ({@link Attachment}) finishes its ledger entry; that is written with the next batch.
 *
 * <p>Crash points, in order. Before the batch is committed: nothing was sent or answered (except by early push, see
 * {@link InsertHandler}). After the commit, before the publisher's answer: the publisher repeats, at QoS 2 under the
 * same token. After the delivery, before the finished mark is committed: the message is delivered again, marked as a
 * repetition, with the packet id it had. A session ends with the commit of its record: after that its routes are
 * removed, and again after a crash, until a record without them is committed. A will is owed with the commit of its
 * record: after that it is published, and again after a crash, under one token, until a record without it is committed.
 *
 * <p>Connections outlive an orderly change of leader: {@link #settle}, then {@link #stop} with {@code MOVED}
 * (docs/adr/0020).
 *
 * <p>{@link InboxStates} loads inboxes, keeps them in memory and drops them. {@link Writes} has the batches. This class
 * connects the parts; none of them refers to it.
 *
 * <p>Everything runs on the range executor, except {@link Mailbox#post}.
 */
final class InboxLeader implements RangeLeader {
    private final LeaderContext context;
    private final Surroundings outside;
    private final Settling settling;
    private final UntilOver untilOver = new UntilOver();
    private final Mailbox mailbox;
    private final RecordCount.Part recordCount;
    private final StoredInboxes.Part storedInboxes;
    private final Writes writes;
    private final InboxStates states;
    private final NewSessions newSessions;
    private final Expiry expiry;
    private final Departures departures;
    private final InsertHandler inserts;
    private final AbsentSessions absentSessions;
    private final SessionHandler sessions;

    InboxLeader(LeaderContext context, QueueSettings settings, Surroundings outside) {
        this.context = context;
        this.outside = outside;
        InboxReports reports = outside.reports();
        MovedSessions moved = outside.moved();
        Qos0Room room = new Qos0Room(settings, new Holds(), reports);

        this.settling = new Settling(moved);
        this.writes = new Writes(context, this::batchDone);
        this.mailbox = new Mailbox(context, writes::closeFullBatch);
        this.recordCount = outside.records().new Part();
        this.storedInboxes = outside.storedInboxes().new Part(context.bounds());
        Stock asked = outside.stock();
        Stock.Part counted = asked == null ? null : asked.new Part();
        StockKeeping stock = new StockKeeping(counted, settings);
        Agenda agenda = new Agenda(context, settling, recordCount, storedInboxes, this::lookAt);
        this.states = new InboxStates(context, writes, agenda, moved, reports, stock, settings, this::loaded);

        Insert.Range range = new Insert.Range(context, writes, reports, new SharedTopics());
        Qos0Store qos0 = new Qos0Store(writes, settings, stock, reports, range);
        SessionRecords records = new SessionRecords(writes, recordCount, storedInboxes);
        Reminders reminders = new Reminders(context, agenda);
        SessionEnds ends = new SessionEnds(context, writes, stock, records, reminders, qos0, reports);
        FinishedTokens finished = new FinishedTokens(writes, outside.finished());
        InboundHandler inbound = new InboundHandler(context, writes, states, finished, outside, untilOver);
        Obligations obligations = new Obligations(context, writes, states, records, finished, outside, untilOver);
        RangeWork work = new RangeWork(context, settings, writes, states, agenda, reminders);
        Aftermath aftermath = new Aftermath(ends, obligations, inbound, moved);
        this.expiry = new Expiry(work, aftermath, records, reports.waits());
        this.inserts = new InsertHandler(context, writes, states, stock, range, qos0, room, expiry);
        this.newSessions = new NewSessions(context, writes, stock, moved.lastIncarnation());
        this.departures = new Departures(work, aftermath, settling, recordCount, room);
        SessionLife life = new SessionLife(writes, states, newSessions, records, reminders, ends, obligations);
        AttachmentCalls.Handlers handlers = new AttachmentCalls.Handlers(
                mailbox, this::handle, departures, new Subscriptions(writes, states), inbound);
        Outbox.Range outboxes = new Outbox.Range(context, writes, settling, reports, room);
        Attaching attaching = new Attaching(life, stock, inserts, outboxes, handlers);
        ConfirmedAnswers confirmed = new ConfirmedAnswers(context, settings);
        Purges purges = new Purges(writes, states, reminders, reports, confirmed);
        FilterChanges filterChanges =
                new FilterChanges(writes, states, records, reminders, confirmed, settings.isClustered());
        this.absentSessions = new AbsentSessions(storedInboxes, confirmed);
        this.sessions = new SessionHandler(life, inbound, expiry, attaching, purges, filterChanges, confirmed, reports);

        agenda.start();
        if (counted != null) {
            new StockWalk(context, counted).start();
        }
    }

    /** For publishes of this leader: abandoned when its leadership is over. Any thread. */
    Resend untilOver() {
        return untilOver;
    }

    private void batchDone(List<Inbox> touched) {
        states.batchDone(touched);
    }

    private void loaded(InboxState state) {
        departures.loaded(state);
    }

    private void lookAt(InboxId id, Runnable then) {
        states.whenReady(id, InboxKeys.prefix(id.tenant(), id.clientId()), new InboxState.Request() {
            @Override
            public void run(InboxState state) {
                expiry.checkTimes(state);
                then.run();
            }

            @Override
            public void fail(RangeException cause) {
                // the load error is logged there; the next request for the inbox loads it again
                then.run();
            }
        });
    }

    @Override
    public void handle(LeaderRequest request) {
        if (request instanceof InsertCall insert) {
            inserts.handle(insert);
        } else if (request instanceof SessionCall call && call.mayNotPass()) {
            call.fail(Refusals.notLedHere());
        } else if (request instanceof SessionCall call && call.command() instanceof SessionCommand.DetachLate late) {
            departures.detachedLate(
                    late.inbox(),
                    new ConnectionEnd(
                            late.incarnation(), ConnectionEnd.LATE, late.expirySeconds(), late.publishWill(), false));
            call.answer().reply(InboxReply.DONE);
        } else if (request instanceof SessionCall session) {
            if (!absentSessions.answers(session)) {
                handleOnceLoaded(session);
            }
        } else {
            request.fail(new RangeException(Cause.STORE_FAILED, "not a request for inboxes: " + request.getClass()));
        }
    }

    private void handleOnceLoaded(SessionCall call) {
        states.whenReady(call.id(), call.prefix(), new InboxState.Request() {
            @Override
            public void run(InboxState state) {
                sessions.handle(state, call);
            }

            @Override
            public void fail(RangeException cause) {
                call.fail(cause);
            }
        });
    }

    // --- the end of the leader

    /**
     * Proposes all decisions and finished marks. After that, memory holds no promise to a client that is not written,
     * except for what {@link MovedSession} hands over.
     */
    @Override
    public void settle() {
        if (!settling.isSettling()) {
            settling.begin();
            untilOver.over(); // the leader of a child range may start before this one has stopped
            storedInboxes.withdraw();
            states.forEachHeld(settling::announce);
        }
        writes.settle();
    }

    /** Connections to other nodes and to this one continue at the next leader. */
    @Override
    public void deposed() {
        states.deposed();
    }

    @Override
    public void stop(RangeException cause) {
        untilOver.over();
        boolean isMoved = cause.reason() == Cause.MOVED;
        if (isMoved) {
            states.moved(); // before batches fail
        }
        mailbox.stop(isMoved ? cause : Mailbox.closed());
        recordCount.stop();
        storedInboxes.withdraw();
        writes.failUnproposed(cause);
        states.stop(cause);
        inserts.stop(cause);
        sessions.stop(cause);
        if (isMoved) {
            outside.moved().noteIncarnation(newSessions.lastIncarnation());
            departures.leaveUnwritten();
            outside.moved().forgetOld(context.nowMillis(), outside.reports());
        }
        settling.withdraw();
        writes.clear();
    }
}
