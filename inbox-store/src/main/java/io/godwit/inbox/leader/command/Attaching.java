package io.godwit.inbox.leader.command;

import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.ContinueRequest;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.client.Will;
import io.godwit.inbox.format.StoredWill;
import io.godwit.inbox.leader.delivery.Attachment;
import io.godwit.inbox.leader.delivery.Outbox;
import io.godwit.inbox.leader.delivery.Settling;
import io.godwit.inbox.leader.end.Obligations;
import io.godwit.inbox.leader.end.SessionEnds;
import io.godwit.inbox.leader.queue.Batch;
import io.godwit.inbox.leader.queue.Writes;
import io.godwit.inbox.leader.session.LeaderSession;
import io.godwit.inbox.leader.session.OwedRetained;
import io.godwit.inbox.leader.state.Answering;
import io.godwit.inbox.leader.state.DiscardOnFailure;
import io.godwit.inbox.leader.state.InboxState;
import io.godwit.inbox.leader.state.InboxStates;
import io.godwit.inbox.leader.state.Reminders;
import io.godwit.inbox.leader.state.SessionRecords;
import io.godwit.inbox.leader.state.StockKeeping;
import io.godwit.inbox.ledger.InboundFlows;
import io.godwit.inbox.ledger.Ledger;
import io.godwit.inbox.ledger.MovedSession;
import io.godwit.inbox.ledger.Pending;
import io.godwit.inbox.ledger.QueueSettings;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.DeliveryStream;
import io.godwit.inbox.protocol.InboxDelivery;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.coprocessor.LeaderContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Attaches connections to sessions: begins or resumes a session, or continues one of the previous leader. Owned by the
 * range leader.
 */
public final class Attaching {
    /**
     * After a longer time without a connection, the client is answered only when the store has the session as attached.
     */
    private static final long GOES_ON_MILLIS = 1000;

    /** A will of at most this many heap bytes may still come with a resumed session when the disk is nearly full. */
    static final int SMALL_WILL_BYTES = 1024;

    /**
     * Above this record size a connection may not enlarge it further: wills and filters of earlier sessions stay in the
     * record until they are published and unsubscribed, however many there are.
     */
    static final int MAX_GROWING_RECORD_BYTES = 4 << 20;

    private final LeaderContext context;
    private final QueueSettings settings;
    private final Writes writes;
    private final Settling settling;
    private final InboxStates states;
    private final StockKeeping stock;
    private final SessionRecords records;
    private final SessionEnds ends;
    private final Reminders reminders;
    private final NewSessions newSessions;
    private final Obligations obligations;
    private final InsertHandler inserts;
    private final Outbox.Range outboxes;
    private final AttachmentCalls.Handlers handlers;

    public Attaching(
            SessionLife life,
            StockKeeping stock,
            InsertHandler inserts,
            Outbox.Range outboxes,
            AttachmentCalls.Handlers handlers) {
        this.context = outboxes.context();
        this.settings = outboxes.room().settings();
        this.writes = life.writes();
        this.settling = outboxes.settling();
        this.states = life.states();
        this.stock = stock;
        this.records = life.records();
        this.ends = life.ends();
        this.reminders = life.reminders();
        this.newSessions = life.newSessions();
        this.obligations = life.obligations();
        this.inserts = inserts;
        this.outboxes = outboxes;
        this.handlers = handlers;
    }

    /** Carries out a CONNECT: see {@link io.godwit.inbox.client.InboxClient#attach}. */
    void attach(InboxState state, AttachRequest request, DeliveryStream deliveries, Answer answer) {
        RangeException full = writes.diskFull();
        if (full != null && addsData(state, request)) {
            answer.fail(full);
            return;
        }
        int leftBytes = leftBytes(state);
        if (leftBytes > MAX_GROWING_RECORD_BYTES && growsRecord(state, request)) {
            answer.fail(new RangeException(
                    Cause.OVERLOADED, "unfinished work of earlier sessions takes " + leftBytes + " bytes already"));
            return;
        }
        boolean goesOn = goesOn(state, request);
        boolean hasBegunIt = forgetFirstAttempt(state, request);
        ends.leaveBehind(state, request.cleanStart());
        LeaderSession session = state.session();
        boolean present = session != null && !hasBegunIt;
        if (session == null) {
            session = newSessions.begin(state, request.client(), 0);
        }
        session.attach(
                request.client(),
                settings.boundedExpiry(request.expirySeconds()),
                session.nextAttachNumber(settings.isClustered()),
                request.attempt(),
                request.attempt() != 0 && !present);
        session.setWill(newSessions.storedWill(state, session, request.will()));
        records.write(state);
        Attachment attachment = attachment(state, session, deliveries);
        hold(state, attachment);
        InboundFlows flows = state.queue.knownInbound();
        InboxReply reply = new InboxReply.Attached(
                present,
                session.incarnation,
                session.attachNumber(),
                subscriptionsOf(session),
                flows == null ? new int[0] : flows.packetIds());
        Batch batch = writes.openBatch();
        if (!state.queue.ledger().isEmpty()) {
            // a PUBREC, or what was sent, may still be unwritten from the previous connection; it must be stored before
            // this one continues from it
            batch.wantProgress(state);
        }
        deliveries.opened(new AttachmentCalls(handlers, state, attachment));
        deliveries.next(InboxDelivery.ATTACHING); // before the answer, which may be sent below
        if (goesOn) {
            batch.whenDone(new DiscardOnFailure(states, state));
            answer.reply(reply);
        } else {
            session.termsWrittenBy(batch);
            batch.whenDone(new Answering(states, state, answer, reply));
            obligations.settleOnceWritten(state);
        }
    }

    /**
     * A CONNECT is repeated because its leader was lost before it answered. If that leader had attached it, the
     * connection would take over from itself, and its will would be published. Returns whether the first attempt had
     * begun the session.
     */
    private static boolean forgetFirstAttempt(InboxState state, AttachRequest request) {
        LeaderSession session = state.session();
        if (session == null || request.attempt() == 0 || session.attempt() != request.attempt()) {
            return false;
        }
        session.setWill(null);
        return session.isOfAttempt();
    }

    /**
     * Whether the CONNECT would store more than before, beyond the life of the connection: a new session, or a larger
     * will. Resuming a session must stay possible, so that its queue empties. It may bring a will of the client's usual
     * size, unless an earlier will is still owed.
     */
    private boolean addsData(InboxState state, AttachRequest request) {
        Will will = request.will();
        LeaderSession session = state.session();
        if (session == null) {
            return request.expirySeconds() > 0 || will != null;
        }
        if (will == null) {
            return false;
        }
        StoredWill before = session.will();
        int stored = before == null ? 0 : before.message().heapBytes();
        return !state.owed().isEmpty() || will.message().heapBytes() > Math.max(stored, SMALL_WILL_BYTES);
    }

    /** Approximate size of the record without the will of the present connection. */
    private static int leftBytes(InboxState state) {
        LeaderSession session = state.session();
        StoredWill will = session == null ? null : session.will();
        return state.writes.recordBytes() - (will == null ? 0 : will.message().heapBytes());
    }

    private static boolean growsRecord(InboxState state, AttachRequest request) {
        LeaderSession session = state.session();
        return request.will() != null
                || request.cleanStart() && session != null && !session.filters().isEmpty();
    }

    /**
     * Whether the store already has everything that the CONNACK reports: the connection directly follows another with
     * the same settings, and no write is pending. Then the answer need not wait for the commit, because a crash before
     * it leaves the session as it was a moment ago. So clients that fight for a session do not wait for the disk.
     *
     * <p>Not in a cluster: the next leader does not know an attachment that was not committed, and would end the
     * connection of a client whose node works.
     */
    private boolean goesOn(InboxState state, AttachRequest request) {
        LeaderSession session = state.session();
        if (session == null
                || settings.isClustered()
                || request.cleanStart()
                || request.will() != null
                || session.will() != null) {
            return false;
        }
        boolean followsAtOnce = state.isHeld()
                || context.nowMillis() - session.detachedAtMillis() < GOES_ON_MILLIS && !reminders.hasExpired(session);
        Pending termsIn = session.termsIn();
        InboundFlows flows = state.queue.knownInbound();
        return followsAtOnce
                && (termsIn == null || termsIn.isDone())
                && session.expirySeconds() > 0
                && session.expirySeconds() == settings.boundedExpiry(request.expirySeconds())
                && Objects.equals(session.client().userName(), request.client().userName())
                && session.retained() == null
                && state.queue.ledger().isEmpty()
                && (flows == null || flows.packetIds().length == 0)
                && state.owed().isEmpty()
                && state.ended().isEmpty();
    }

    /**
     * See {@link io.godwit.inbox.client.InboxClient#continueAttachment}. The record does not change, so there is no
     * write to wait for.
     */
    void continueAttachment(InboxState state, ContinueRequest request, DeliveryStream deliveries, Answer answer) {
        LeaderSession session = state.session();
        MovedSession awaited = state.awaited();
        if (session == null
                || awaited == null
                || session.incarnation != request.incarnation()
                || session.attachNumber() != request.attachNumber()) {
            answer.reply(InboxReply.Flag.of(false));
            return;
        }
        state.letGo();
        finishAnswered(state, request);
        Attachment attachment = attachment(state, session, deliveries);
        attachment.outbox().continueBehind(request.sentUpTo(), awaited.places());
        hold(state, attachment);
        deliveries.opened(new AttachmentCalls(handlers, state, attachment));
        answer.reply(InboxReply.Flag.of(true));
    }

    private Attachment attachment(InboxState state, LeaderSession session, DeliveryStream deliveries) {
        return new Attachment(
                outboxes,
                state,
                session,
                deliveries,
                (work, then) -> states.read(state, work, then),
                inserts.replaysOf(state));
    }

    private void hold(InboxState state, Attachment attachment) {
        state.attach(attachment);
        stock.sessionChanged(state);
        if (settling.isSettling()) {
            settling.announce(state);
        }
    }

    /**
     * Finishes messages whose acknowledgements were lost with the previous leader, and QoS 0 messages that it had sent.
     */
    private void finishAnswered(InboxState state, ContinueRequest request) {
        Ledger ledger = state.queue.ledger();
        List<Long> answered = new ArrayList<>();
        for (long ordinal = ledger.headOrdinal(); ordinal < ledger.tailOrdinal(); ordinal++) {
            long sequence = ledger.sequenceAt(ordinal);
            if (sequence > request.sentUpTo()) {
                break;
            }
            if (!ledger.isFinishedAt(ordinal) && Arrays.binarySearch(request.unanswered(), sequence) < 0) {
                answered.add(sequence);
            }
        }
        for (long sequence : answered) { // by sequence, because finishing may move the others
            writes.finish(state, ledger.find(sequence));
        }
    }

    private static List<StoredSubscription> subscriptionsOf(LeaderSession session) {
        OwedRetained retained = session.retained();
        return retained == null
                ? List.copyOf(session.filters().subscriptions())
                : session.filters().subscriptions().stream()
                        .map(each -> each.owed(retained.from(each.filter())))
                        .toList();
    }
}
