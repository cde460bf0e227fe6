package io.godwit.inbox.queue;

import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.ContinueRequest;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.OriginDigest;
import io.godwit.inbox.client.SessionOwner;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.client.Will;
import io.godwit.inbox.expiry.SessionTimes;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.DeliveryStream;
import io.godwit.inbox.protocol.InboxDelivery;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.inbox.protocol.SessionCommand;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.event.SessionEndCause;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Begins, resumes, detaches and ends sessions. Owned by the range leader.
 *
 * <p>Each method changes the {@link InboxState} and puts the new record into the open batch, after what was queued
 * before it. A session that ends goes from the record's session into its list of ended ones, with its filters, and its
 * queue goes with one range delete, all in one mutation; {@link Obligations} then does what is left. If the queue has
 * messages of shared groups that others may get, it stays until they have them; the next session of the client id
 * begins behind it.
 */
final class Lifecycle {
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

    private final InboxLeader leader;
    private final Obligations obligations;
    private final InboundHandler inbound;
    /** Ends of connections that could not be written; each is taken when its inbox is loaded again, soon after. */
    private final Map<InboxId, Disconnect> unwritten = new HashMap<>(0);

    private long lastIncarnation;

    Lifecycle(InboxLeader leader, Obligations obligations, InboundHandler inbound) {
        this.leader = leader;
        this.obligations = obligations;
        this.inbound = inbound;
        this.lastIncarnation = leader.outside().moved().lastIncarnation();
    }

    long lastIncarnation() {
        return lastIncarnation;
    }

    // --- requests

    /** Carries out a command about a session that is loaded. */
    void handle(InboxState state, SessionCall call) {
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
            Lifecycle.this.attach(state, command.request(), call.deliveries(), call.answer());
        }

        @Override
        public void goOn(SessionCommand.Continue command) {
            continueAttachment(state, command.request(), call.deliveries(), call.answer());
        }

        @Override
        public void owner(SessionCommand.Owner command) {
            call.answer().reply(new InboxReply.Owner(Lifecycle.this.owner(state, command.client())));
        }

        @Override
        public void keepWill(SessionCommand.KeepWill command) {
            Lifecycle.this.keepWill(state, command, call.answer());
        }

        @Override
        public void markDistributed(SessionCommand.MarkDistributed command) {
            Session session = state.session;
            if (session == null || session.incarnation != command.incarnation()) {
                call.answer().reply(InboxReply.DONE);
            } else {
                inbound.distributed(state, command.packetId(), command.tokenNumber(), call.answer());
            }
        }

        @Override
        public void markKept(SessionCommand.MarkKept command) {
            Session session = state.session;
            String origin = session == null ? null : InboxState.origin(state.id, session.incarnation);
            if (origin == null || !OriginDigest.of(origin).equals(command.originDigest())) {
                call.answer().reply(InboxReply.DONE);
            } else {
                inbound.distributed(state, command.tokenNumber(), call.answer());
            }
        }

        @Override
        public void delete(SessionCommand.Delete command) {
            Lifecycle.this.delete(state, call.answer());
        }

        @Override
        public void detachLate(SessionCommand.DetachLate command) {
            throw new IllegalStateException("its inbox is not loaded for it");
        }
    }

    private void attach(InboxState state, AttachRequest request, DeliveryStream deliveries, Answer answer) {
        RangeException full = leader.diskFull();
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
        leaveBehind(state, request.cleanStart());
        Session session = state.session;
        boolean present = session != null && !hasBegunIt;
        if (session == null) {
            session = begin(state, request.client(), 0);
        }
        session.client = request.client();
        session.expirySeconds = boundedExpiry(request.expirySeconds());
        session.isKept |= session.expirySeconds > 0;
        session.attached = true;
        session.attachNumber += leader.settings().isClustered() ? 1 : 0;
        session.attempt = request.attempt();
        session.isOfAttempt = request.attempt() != 0 && !present;
        session.will = storedWill(state, session, request.will());
        writeRecord(state);
        Attachment attachment = new Attachment(leader, state, session, deliveries);
        hold(state, attachment);
        InboundFlows flows = state.inbound;
        InboxReply reply = new InboxReply.Attached(
                present,
                session.incarnation,
                session.attachNumber,
                subscriptionsOf(session),
                flows == null ? new int[0] : flows.packetIds());
        Batch batch = leader.openBatch();
        if (!state.ledger.isEmpty()) {
            // what the connection before was about to have recorded, a PUBREC or what it was sent, stands before this
            // one goes on from it
            batch.wantProgress(state);
        }
        deliveries.opened(attachment);
        deliveries.next(InboxDelivery.ATTACHING); // before the answer, which may be given here
        if (goesOn) {
            batch.whenDone(new DiscardOnFailure(leader, state));
            answer.reply(reply);
        } else {
            session.termsIn = batch;
            batch.whenDone(new Answering(leader, state, answer, reply));
            settleOnceWritten(state);
        }
    }

    /**
     * A CONNECT is asked again whose leader was lost before it could answer. If that had carried it out, the connection
     * would take over from itself, and its will go out. Returns whether it had begun the session.
     */
    private static boolean forgetFirstAttempt(InboxState state, AttachRequest request) {
        Session session = state.session;
        if (session == null || request.attempt() == 0 || session.attempt != request.attempt()) {
            return false;
        }
        session.will = null;
        return session.isOfAttempt;
    }

    /**
     * Whether the store would have more than before, for longer than the connection: a new session, a larger will. One
     * that resumes a session must be able to, so that its queue empties; a will of its client's usual size goes along,
     * unless one of before is still owed.
     */
    private boolean addsData(InboxState state, AttachRequest request) {
        Will will = request.will();
        Session session = state.session;
        if (session == null) {
            return request.expirySeconds() > 0 || will != null;
        }
        if (will == null) {
            return false;
        }
        StoredWill before = session.will;
        int stored = before == null ? 0 : before.message().heapBytes();
        return !state.owed.isEmpty() || will.message().heapBytes() > Math.max(stored, SMALL_WILL_BYTES);
    }

    /** What the record has beside the will of the present connection, about. */
    private static int leftBytes(InboxState state) {
        StoredWill will = state.session == null ? null : state.session.will;
        return state.recordBytes - (will == null ? 0 : will.message().heapBytes());
    }

    private static boolean growsRecord(InboxState state, AttachRequest request) {
        Session session = state.session;
        return request.will() != null || request.cleanStart() && session != null && !session.filters.isEmpty();
    }

    /**
     * Whether the store already has all that the client is told by its CONNACK: one connection follows another at once,
     * on the same terms, and nothing is under way. Then the answer need not wait for the commit: a crash before that
     * leaves the session as it was a moment ago. So clients that fight for a session wait for no disk.
     */
    private boolean goesOn(InboxState state, AttachRequest request) {
        Session session = state.session;
        if (session == null || request.cleanStart() || request.will() != null || session.will != null) {
            return false;
        }
        boolean followsAtOnce = state.isHeld()
                || leader.nowMillis() - session.detachedAtMillis < GOES_ON_MILLIS && !hasExpired(session);
        Batch termsIn = session.termsIn;
        InboundFlows flows = state.inbound;
        return followsAtOnce
                && (termsIn == null || termsIn.isDone())
                && session.expirySeconds > 0
                && session.expirySeconds == boundedExpiry(request.expirySeconds())
                && Objects.equals(session.client.userName(), request.client().userName())
                && session.retained == null
                && state.ledger.isEmpty()
                && (flows == null || flows.packetIds().length == 0)
                && state.owed.isEmpty()
                && state.ended.isEmpty();
    }

    /**
     * See {@link io.godwit.inbox.client.InboxClient#continueAttachment}. The record stays as it is, so there is nothing
     * to wait for.
     */
    private void continueAttachment(
            InboxState state, ContinueRequest request, DeliveryStream deliveries, Answer answer) {
        Session session = state.session;
        MovedSession awaited = state.awaited;
        if (session == null
                || awaited == null
                || session.incarnation != request.incarnation()
                || session.attachNumber != request.attachNumber()) {
            answer.reply(InboxReply.Flag.of(false));
            return;
        }
        state.awaited = null;
        finishAnswered(state, request);
        Attachment attachment = new Attachment(leader, state, session, deliveries);
        attachment.outbox.continueBehind(request.sentUpTo(), awaited.places());
        hold(state, attachment);
        deliveries.opened(attachment);
        answer.reply(InboxReply.Flag.of(true));
    }

    private void hold(InboxState state, Attachment attachment) {
        state.attachment = attachment;
        leader.states().sessionChanged(state);
        if (leader.isSettling()) {
            leader.announce(state);
        }
    }

    /** Acknowledgements that were lost with the leader before, and QoS 0 out of the queue that it had sent. */
    private void finishAnswered(InboxState state, ContinueRequest request) {
        Ledger ledger = state.ledger;
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
            leader.finish(state, ledger.find(sequence));
        }
    }

    private Session begin(InboxState state, ClientInfo client, long expirySeconds) {
        Session session = new Session(nextIncarnation(), state.sequences.peek(), client, expirySeconds);
        state.session = session;
        state.ledger = leader.states().newLedger(session.first);
        leader.states().ledgerBegun(state);
        return session;
    }

    private static List<StoredSubscription> subscriptionsOf(Session session) {
        OwedRetained retained = session.retained;
        return retained == null
                ? List.copyOf(session.filters.values())
                : session.filters.values().stream()
                        .map(each -> each.owed(retained.from(each.filter())))
                        .toList();
    }

    /** Whose the session is, to {@code client}. */
    private SessionOwner owner(InboxState state, ClientInfo client) {
        Session session = state.session;
        if (session == null || !state.isHeld() && hasExpired(session)) {
            return SessionOwner.NO_SESSION;
        }
        String user = session.client.userName();
        if (Objects.equals(user, client.userName())) {
            return SessionOwner.SAME_USER;
        }
        return user == null ? SessionOwner.NO_USER : SessionOwner.OTHER_USER;
    }

    private boolean hasExpired(Session session) {
        return SessionTimes.endsAt(session.detachedAtMillis, session.expirySeconds) <= leader.nowMillis();
    }

    /** See {@link io.godwit.inbox.client.InboxClient#keepWill}. */
    private void keepWill(InboxState state, SessionCommand.KeepWill command, Answer answer) {
        checkTimes(state);
        if (state.session != null || !state.owed.isEmpty()) {
            onceRecorded(state, new Answering(leader, state, answer, InboxReply.DONE));
            return;
        }
        RangeException full = command.isRecorded() ? null : leader.diskFull();
        if (full != null) {
            answer.fail(full);
            return;
        }
        Session session = begin(state, command.client(), command.expirySeconds());
        session.will = storedWill(state, session, command.will());
        detached(state, session);
        leader.openBatch().whenDone(new Answering(leader, state, answer, InboxReply.DONE));
        settleOnceWritten(state);
    }

    private void delete(InboxState state, Answer answer) {
        Session session = state.session;
        if (session == null) {
            // its end may be under way to the store: if that fails the session is there again
            onceRecorded(state, new Answering(leader, state, answer, InboxReply.Flag.of(false)));
            return;
        }
        cutOff(state, InboxListener.Reason.DELETED);
        end(state, session, SessionEndCause.GIVEN_UP);
        writeRecord(state);
        leader.openBatch().whenDone(new Answering(leader, state, answer, InboxReply.Flag.of(true)));
        settleOnceWritten(state);
    }

    /** @param expirySeconds -1 for what CONNECT said */
    void detach(InboxState state, long expirySeconds, boolean publishWill, Answer answer) {
        Session session = state.session;
        Attachment attachment = state.attachment;
        if (session == null || attachment == null) {
            answer.fail(Mailbox.closed());
            return;
        }
        List<QueuedCopy> unsent = attachment.close();
        state.attachment = null;
        if (expirySeconds >= 0) {
            session.expirySeconds = boundedExpiry(expirySeconds);
            session.termsIn = leader.openBatch();
        }
        if (!publishWill) {
            suppressWill(state, session);
        }
        detached(state, session);
        // the batch that has the record is the one waited for: QoS 0 may take several more
        Disconnect disconnect =
                new Disconnect(session.incarnation, session.attachNumber, expirySeconds, publishWill, true);
        leader.openBatch().whenDone(new Recording(state, disconnect));
        leader.openBatch().whenDone(new Answering(leader, state, answer, InboxReply.DONE));
        settleOnceWritten(state);
        keepUnsent(state, unsent);
        if (state.session != null && session.inboundOpen) {
            inbound.resumeLater(state);
        }
        attachment.detaching();
    }

    /**
     * A connection has ended whose attachment was over already: if its inbox could not be written, that is not too
     * late.
     */
    void detachedLate(InboxId id, Disconnect disconnect) {
        if (leader.states().isToBeLoaded(id)) {
            unwritten.put(id, disconnect);
            leader.agenda().lookAgain(id, 0); // takes it
        }
    }

    /** The next leader on this node takes over what has not been written. */
    void leaveUnwritten() {
        unwritten.forEach((id, disconnect) -> leader.outside().moved().leave(id, disconnect, leader.context()));
        unwritten.clear();
    }

    /** Remembers how a connection ended when that could not be written. */
    private final class Recording implements Batch.Waiter {
        private final InboxState state;
        private final Disconnect disconnect;

        Recording(InboxState state, Disconnect disconnect) {
            this.state = state;
            this.disconnect = disconnect;
        }

        @Override
        public void applied() {}

        @Override
        public void failed(RangeException cause) {
            unwritten.put(state.id, disconnect);
            leader.states().discard(state);
        }
    }

    void subscribe(InboxState state, List<StoredSubscription> asked, Answer answer) {
        Session session = state.session;
        if (session == null) {
            answer.fail(Mailbox.closed());
            return;
        }
        RangeException full = leader.diskFull();
        if (full != null && asked.stream().anyMatch(each -> !session.filters.containsKey(each.filter()))) {
            answer.fail(full);
            return;
        }
        List<Boolean> isNew = new ArrayList<>();
        FilterWrite write = FilterWrite.of(leader.openBatch(), state, session);
        if (!write.hasRoomFor(asked)) {
            answer.fail(new RangeException(
                    Cause.OVERLOADED,
                    "filters that are stored together take more than " + FilterWrite.MAX_PAGE_BYTES + " bytes"));
            return;
        }
        for (StoredSubscription subscription : asked) {
            TopicFilter filter = subscription.filter();
            StoredSubscription before = session.filters.put(filter, subscription);
            if (before == null) {
                write.added(filter);
            }
            boolean owes = subscription.asksForRetained(before == null);
            if (owes) {
                oweRetained(state, session, filter);
            }
            if (owes || !subscription.equals(before)) {
                write.changed(filter);
            }
            isNew.add(before == null);
        }
        leader.openBatch().whenDone(new Answering(leader, state, answer, new InboxReply.Flags(isNew)));
    }

    private void oweRetained(InboxState state, Session session, TopicFilter filter) {
        OwedRetained retained = session.retained;
        if (retained == null) {
            retained = new OwedRetained(leader, state);
            session.retained = retained;
        }
        if (state.attachment != null) {
            state.attachment.refuseReplays(filter); // what was on its way for the subscription before
        }
        retained.begin(filter, leader.takeSequence(state), leader.openBatch());
    }

    void unsubscribe(InboxState state, List<TopicFilter> removed, Answer answer) {
        Session session = state.session;
        if (session == null) {
            answer.fail(Mailbox.closed());
            return;
        }
        List<Boolean> existed = new ArrayList<>();
        FilterWrite write = FilterWrite.of(leader.openBatch(), state, session);
        for (TopicFilter filter : removed) {
            boolean existedBefore = session.filters.remove(filter) != null;
            if (existedBefore) {
                write.removed(filter);
                write.changed(filter);
            }
            existed.add(existedBefore);
            if (session.retained != null) {
                session.retained.cancel(filter, leader.openBatch());
            }
        }
        leader.openBatch().whenDone(new Answering(leader, state, answer, new InboxReply.Flags(existed)));
    }

    /** See {@link io.godwit.inbox.client.InboxAttachment#replayed}. */
    void replayed(InboxState state, TopicFilter filter, String to) {
        Session session = state.session;
        OwedRetained retained = session == null ? null : session.retained;
        if (retained != null && retained.isAt(filter, to)) {
            retained.end(filter, leader.openBatch());
        }
    }

    // --- time

    /**
     * The state has just been loaded: an attachment in it is that of a leader that is gone. Its connection is on its
     * way here, if the leader ended in good order on this node; else it ended without a DISCONNECT.
     */
    void loaded(InboxState state) {
        if (!hasNothing(state)) {
            leader.records().written(state.id); // its deletion may have been taken back
        }
        Session session = state.session;
        Disconnect disconnect = takeUnwritten(state.id);
        boolean wasCutOff = leader.states().wasCutOff(state.id);
        MovedSession moved = leader.outside().moved().take(state.id, session, leader.context(), leader.reports());
        if (moved == null && session != null && session.attached && disconnect == null && !wasCutOff) {
            moved = ofAnotherNode(state, session);
        }
        state.ledger.markSentBelow(sentBelow(state, moved));
        if (moved != null) {
            state.awaited = moved;
            moved.comeTo(leader.holds());
            if (leader.isSettling()) {
                leader.announce(state);
            }
            leader.agenda().remind(state.id, moved.untilMillis());
            settleOnceWritten(state);
            return;
        }
        if (session != null && session.attached) {
            boolean hasSaid = disconnect != null && disconnect.isOf(session);
            if (disconnect != null && hasSaid) {
                applyTerms(state, session, disconnect);
            }
            detached(state, session);
            leader.openBatch()
                    .whenDone(
                            disconnect != null && hasSaid
                                    ? new Recording(state, disconnect)
                                    : new DiscardOnFailure(leader, state));
        } else {
            remindOf(state);
        }
        inbound.resume(state);
        settleOnceWritten(state);
    }

    /** In a cluster the connection may be on a node that is there: it is waited for. Null alone. */
    private @Nullable MovedSession ofAnotherNode(InboxState state, Session session) {
        long waitMillis = leader.settings().attachedWaitMillis();
        return waitMillis == 0
                ? null
                : MovedSession.ofAnotherNode(session, state.storedSentBelow, leader.nowMillis() + waitMillis);
    }

    /** What a leader here has left may be of a time before a leader on another node: the store knows a bound. */
    private long sentBelow(InboxState state, @Nullable MovedSession moved) {
        if (moved == null) {
            return state.storedSentBelow;
        }
        return leader.settings().isClustered() ? Math.max(moved.sentBelow, state.storedSentBelow) : moved.sentBelow;
    }

    private @Nullable Disconnect takeUnwritten(InboxId id) {
        Disconnect own = unwritten.remove(id);
        return own != null ? own : leader.outside().moved().takeDisconnect(id, leader.context());
    }

    private void applyTerms(InboxState state, Session session, Disconnect disconnect) {
        if (disconnect.expirySeconds() >= 0) {
            session.expirySeconds = boundedExpiry(disconnect.expirySeconds());
        }
        StoredWill will = session.will;
        if (!disconnect.publishWill() && will != null) {
            session.will = null;
            if (!disconnect.isWillReported()) {
                leader.reports().willSuppressed(state.id, will.message().topic());
            }
        }
    }

    /** The connection that was awaited has not come: perhaps those of many sessions have not, with their node. */
    private void loseInTurn(InboxState state, Session session, MovedSession awaited, long now) {
        boolean waits = session.will != null && !awaited.hasTurn();
        long turn = waits ? leader.outside().moved().turn(now) : now;
        if (turn <= now) {
            lost(state, session, awaited);
        } else {
            awaited.waitForTurn(turn);
            leader.agenda().remind(state.id, turn);
        }
    }

    /** The connection that was awaited does not come. */
    private void lost(InboxState state, Session session, MovedSession awaited) {
        if (leader.settings().isClustered()) {
            leader.reports()
                    .waits()
                    .connectionNotBack(
                            state.id.clientId(),
                            Duration.ofMillis(leader.settings().attachedWaitMillis()));
        }
        List<QueuedCopy> unsent = awaited.unsent(state.ledger);
        state.awaited = null;
        detached(state, session);
        leader.openBatch().whenDone(new DiscardOnFailure(leader, state));
        settleOnceWritten(state);
        keepUnsent(state, unsent);
        inbound.resume(state);
    }

    private void keepUnsent(InboxState state, List<QueuedCopy> unsent) {
        if (state.session != null) {
            leader.inserts().storeAll(state, unsent);
        } else {
            leader.reports().dropped(state.id, unsent, DropReason.SESSION_ENDED);
        }
    }

    /** Ends the session or publishes its will if it is time. */
    void checkTimes(InboxState state) {
        Session session = state.session;
        if (session == null || state.attachment != null) {
            return;
        }
        long now = leader.nowMillis();
        MovedSession awaited = state.awaited;
        if (awaited != null) {
            if (awaited.untilMillis() <= now) {
                loseInTurn(state, session, awaited, now);
            }
            return;
        }
        StoredWill will = session.will;
        if (SessionTimes.endsAt(session.detachedAtMillis, session.expirySeconds) <= now) {
            end(state, session, SessionEndCause.EXPIRED);
        } else if (will != null && willDueAt(session, will) <= now) {
            owe(state, session);
        } else {
            remindOf(state);
            return;
        }
        writeRecord(state);
        leader.openBatch().whenDone(new DiscardOnFailure(leader, state));
        remindOf(state);
        settleOnceWritten(state);
    }

    // --- steps

    /** Ends what the new connection does not continue: a connection, a session, a will that waits. */
    private void leaveBehind(InboxState state, boolean cleanStart) {
        Session session = state.session;
        if (session == null) {
            return;
        }
        boolean takeover = state.isHeld();
        if (takeover) {
            cutOff(state, InboxListener.Reason.TAKEN_OVER);
        }
        long now = leader.nowMillis();
        boolean expired = takeover ? session.expirySeconds == 0 : hasExpired(session);
        if (cleanStart || expired) {
            end(state, session, expired ? SessionEndCause.EXPIRED : SessionEndCause.CLEAN_START);
            return;
        }
        StoredWill will = session.will;
        // the session goes on, so a will whose delay is not over is not sent [MQTT5-3.1.3-9]; one without a delay is
        if (will != null && (takeover ? will.delaySeconds() == 0 : willDueAt(session, will) <= now)) {
            owe(state, session);
        }
        suppressWill(state, session);
    }

    private void suppressWill(InboxState state, Session session) {
        StoredWill will = session.will;
        if (will != null) {
            session.will = null;
            session.termsIn = leader.openBatch();
            leader.reports().willSuppressed(state.id, will.message().topic());
        }
    }

    private void cutOff(InboxState state, InboxListener.Reason reason) {
        Attachment attachment = state.attachment;
        MovedSession awaited = state.awaited;
        List<QueuedCopy> unsent;
        if (attachment != null) {
            state.attachment = null;
            unsent = attachment.close(reason);
        } else if (awaited != null) {
            state.awaited = null; // its connection will be refused
            unsent = awaited.unsent(state.ledger);
        } else {
            return;
        }
        if (reason == InboxListener.Reason.TAKEN_OVER) {
            leader.inserts().storeAll(state, unsent);
        } else {
            leader.reports().dropped(state.id, unsent, DropReason.SESSION_ENDED);
        }
    }

    /** The session has lost its connection; it may end here and now. Writes the record. */
    private void detached(InboxState state, Session session) {
        session.attached = false;
        leader.states().sessionChanged(state);
        session.detachedAtMillis = leader.nowMillis();
        session.inboundOpen = state.inbound != null && state.inbound.hasUndistributed();
        StoredWill will = session.will;
        if (session.expirySeconds == 0) {
            end(state, session, SessionEndCause.GIVEN_UP);
        } else if (will != null && will.delaySeconds() == 0) {
            owe(state, session);
        }
        writeRecord(state);
        if (state.hasData) {
            leader.openBatch().wantProgress(state); // from here on it is exact what was sent
        }
        remindOf(state);
    }

    /** Takes the session out of the state, with all it has; its will is owed, its routes are to be removed. */
    private void end(InboxState state, Session session, SessionEndCause cause) {
        if (session.isKept) {
            leader.reports().sessionEnded(state.id, cause);
        }
        leader.inserts().queueRelieved(state);
        owe(state, session);
        Remains remains = leave(state, session);
        boolean isBehindOthers = state.ended.stream().anyMatch(each -> each.remains() != null);
        if (!session.filters.isEmpty() || remains != null) {
            state.ended.add(new EndedSession(session.incarnation, List.copyOf(session.filters.keySet()), remains));
        }
        Batch batch = leader.openBatch();
        session.filters.keySet().stream()
                .mapToInt(FilterTable::pageOf)
                .distinct()
                .forEach(page -> batch.delete(state, InboxKeys.filtersSuffix(page)));
        if (session.retained != null) {
            session.retained.over(batch);
        }
        if (state.hasData && remains == null && !isBehindOthers) {
            batch.deleteRange(state, InboxKeys.suffix(InboxKeys.PROGRESS), InboxKeys.suffix(InboxKeys.END));
        } else if (state.hasData) {
            batch.deleteRange(state, InboxKeys.suffix(InboxKeys.PROGRESS), InboxKeys.suffix(InboxKeys.RUN));
            batch.deleteRange(state, InboxKeys.suffix(InboxKeys.RETAINED), InboxKeys.suffix(InboxKeys.END));
            if (remains == null) {
                batch.deleteMessages(state, session.first, state.sequences.peek());
            }
        }
        state.hasData = false;
        state.dirty = false;
        state.session = null;
        state.ledger.leaveStock();
        state.ledger = new Ledger(state.sequences.peek());
        leader.states().sessionChanged(state);
        state.tokens = null;
        inbound.stop(state, Mailbox.closed());
        state.inbound = null;
        state.progressNotBefore = batch.id;
    }

    /**
     * What other members of shared groups get of its queue: QoS 1, and QoS 2 that was not sent [MQTT5-4.8.2-5]. The
     * rest is dropped, counted and reported.
     */
    private @Nullable Remains leave(InboxState state, Session session) {
        Ledger ledger = state.ledger;
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
                leader.reports().dropped(state.id, ledger.topicAt(ordinal), DropReason.SESSION_ENDED);
            }
        }
        return count == 0
                ? null
                : new Remains(session.first, state.sequences.peek(), Arrays.copyOf(left, count), false);
    }

    private void owe(InboxState state, Session session) {
        StoredWill will = session.will;
        if (will != null) {
            state.owed.add(will.owedSince(leader.nowMillis()));
            session.will = null;
        }
    }

    void writeRecord(InboxState state) {
        Batch batch = leader.openBatch();
        state.recordIn = batch;
        if (hasNothing(state)) {
            leader.records().deleted(state.id);
            state.recordBytes = 0;
            batch.delete(state, InboxKeys.suffix(InboxKeys.SESSION));
            batch.delete(state, InboxKeys.suffix(InboxKeys.CEILING));
            // what comes next stores a ceiling anew
            state.sequences = new SequenceAllocator(state.sequences.peek(), 0);
        } else {
            leader.records().written(state.id);
            leader.storedInboxes().written(state.prefix);
            SessionRecord record = new SessionRecord(state.session, state.owed, state.ended);
            byte[] encoded = record.encode();
            state.recordBytes = encoded.length;
            batch.put(state, InboxKeys.suffix(InboxKeys.SESSION), encoded);
        }
    }

    /** What is decided about the record is in the store. */
    private static void onceRecorded(InboxState state, Batch.Waiter waiter) {
        Batch last = state.recordIn;
        if (last == null || last.isDone()) {
            waiter.applied();
        } else {
            last.whenDone(waiter);
        }
    }

    private static boolean hasNothing(InboxState state) {
        return state.session == null && state.owed.isEmpty() && state.ended.isEmpty();
    }

    private void settleOnceWritten(InboxState state) {
        if (!state.owed.isEmpty() || !state.ended.isEmpty()) {
            leader.openBatch().whenDone(obligations.begin(state));
        }
    }

    private void remindOf(InboxState state) {
        Session session = state.session;
        if (session == null || state.isHeld()) {
            return;
        }
        StoredWill will = session.will;
        long due = will != null
                ? willDueAt(session, will)
                : SessionTimes.endsAt(session.detachedAtMillis, session.expirySeconds);
        leader.agenda().remind(state.id, due);
    }

    private static long willDueAt(Session session, StoredWill will) {
        return SessionTimes.willDueAt(session.detachedAtMillis, will.delaySeconds(), session.expirySeconds);
    }

    private @Nullable StoredWill storedWill(InboxState state, Session session, @Nullable Will will) {
        if (will == null) {
            return null;
        }
        return new StoredWill(
                session.incarnation, leader.takeSequence(state), session.client, will.message(), will.delaySeconds());
    }

    private long boundedExpiry(long asked) {
        return Math.min(asked, leader.settings().maxExpirySeconds());
    }

    /**
     * Rises with the clock, and always within a leadership. Nothing is kept of a client id that has no session, so it
     * is time that tells a new incarnation from one long gone; the term tells two processes apart whose clock was set
     * back.
     */
    private long nextIncarnation() {
        long fromClock = leader.nowMillis() << 20 | (leader.context().term() & 0xFF) << 12;
        lastIncarnation = Math.max(lastIncarnation + 1, fromClock);
        return lastIncarnation;
    }
}
