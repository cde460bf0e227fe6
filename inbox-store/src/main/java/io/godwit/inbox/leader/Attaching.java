package io.godwit.inbox.leader;

import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.ContinueRequest;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.client.Will;
import io.godwit.inbox.format.StoredWill;
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
 * Gives sessions to connections: begins or resumes them, or goes on with one that the leader before had. Owned by the
 * range leader.
 */
final class Attaching {
    /**
     * A session that has been without a connection for longer is told to the store to have one before its client is.
     */
    private static final long GOES_ON_MILLIS = 1000;

    /** A will of at most so many bytes on the heap resumes a session though the disk is nearly full. */
    static final int SMALL_WILL_BYTES = 1024;

    /**
     * What a record may have, so that a connection may make it larger: wills and filters of earlier sessions stay in it
     * until they are published and unsubscribed, however many there are.
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

    Attaching(
            InboxStates states,
            StockKeeping stock,
            SessionRecords records,
            SessionEnds ends,
            Reminders reminders,
            NewSessions newSessions,
            Obligations obligations,
            InsertHandler inserts,
            Outbox.Range outboxes,
            AttachmentCalls.Handlers handlers) {
        this.context = outboxes.context();
        this.settings = outboxes.room().settings();
        this.writes = outboxes.writes();
        this.settling = outboxes.settling();
        this.states = states;
        this.stock = stock;
        this.records = records;
        this.ends = ends;
        this.reminders = reminders;
        this.newSessions = newSessions;
        this.obligations = obligations;
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
                    Cause.OVERLOADED, "what earlier sessions have left to do takes " + leftBytes + " bytes already"));
            return;
        }
        boolean goesOn = goesOn(state, request);
        boolean hasBegunIt = forgetFirstAttempt(state, request);
        ends.leaveBehind(state, request.cleanStart());
        Session session = state.session();
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
            // what the connection before was about to have recorded, a PUBREC or what it was sent, stands before this
            // one goes on from it
            batch.wantProgress(state);
        }
        deliveries.opened(new AttachmentCalls(handlers, state, attachment));
        deliveries.next(InboxDelivery.ATTACHING); // before the answer, which may be given here
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
     * A CONNECT is asked again whose leader was lost before it could answer. If that had carried it out, the connection
     * would take over from itself, and its will go out. Returns whether it had begun the session.
     */
    private static boolean forgetFirstAttempt(InboxState state, AttachRequest request) {
        Session session = state.session();
        if (session == null || request.attempt() == 0 || session.attempt() != request.attempt()) {
            return false;
        }
        session.setWill(null);
        return session.isOfAttempt();
    }

    /**
     * Whether the store would have more than before, for longer than the connection: a new session, a larger will. One
     * that resumes a session must be able to, so that its queue empties; a will of its client's usual size goes along,
     * unless one of before is still owed.
     */
    private boolean addsData(InboxState state, AttachRequest request) {
        Will will = request.will();
        Session session = state.session();
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

    /** What the record has beside the will of the present connection, about. */
    private static int leftBytes(InboxState state) {
        Session session = state.session();
        StoredWill will = session == null ? null : session.will();
        return state.writes.recordBytes() - (will == null ? 0 : will.message().heapBytes());
    }

    private static boolean growsRecord(InboxState state, AttachRequest request) {
        Session session = state.session();
        return request.will() != null
                || request.cleanStart() && session != null && !session.filters().isEmpty();
    }

    /**
     * Whether the store already has all that the client is told by its CONNACK: one connection follows another at once,
     * on the same terms, and nothing is under way. Then the answer need not wait for the commit: a crash before that
     * leaves the session as it was a moment ago. So clients that fight for a session wait for no disk.
     *
     * <p>Not in a cluster. The next leader, which knows nothing of an attachment that was not committed, would end the
     * connection of a client whose node is well.
     */
    private boolean goesOn(InboxState state, AttachRequest request) {
        Session session = state.session();
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
     * See {@link io.godwit.inbox.client.InboxClient#continueAttachment}. The record stays as it is, so there is nothing
     * to wait for.
     */
    void continueAttachment(InboxState state, ContinueRequest request, DeliveryStream deliveries, Answer answer) {
        Session session = state.session();
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

    private Attachment attachment(InboxState state, Session session, DeliveryStream deliveries) {
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

    /** Acknowledgements that were lost with the leader before, and QoS 0 out of the queue that it had sent. */
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
        for (long sequence : answered) { // by sequence, since finishing may move the others
            writes.finish(state, ledger.find(sequence));
        }
    }

    private static List<StoredSubscription> subscriptionsOf(Session session) {
        OwedRetained retained = session.retained();
        return retained == null
                ? List.copyOf(session.filters().subscriptions())
                : session.filters().subscriptions().stream()
                        .map(each -> each.owed(retained.from(each.filter())))
                        .toList();
    }
}
