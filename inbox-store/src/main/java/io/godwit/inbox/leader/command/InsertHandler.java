package io.godwit.inbox.leader.command;

import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.client.ReplayOutcome;
import io.godwit.inbox.client.ReplayStep;
import io.godwit.inbox.expiry.SessionTimes;
import io.godwit.inbox.format.GroupCopy;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.format.QueuedCopy;
import io.godwit.inbox.format.TokenRecord;
import io.godwit.inbox.leader.delivery.Attachment;
import io.godwit.inbox.leader.delivery.Insert;
import io.godwit.inbox.leader.end.Expiry;
import io.godwit.inbox.leader.qos.Qos0Store;
import io.godwit.inbox.leader.queue.Batch;
import io.godwit.inbox.leader.queue.Mailbox;
import io.godwit.inbox.leader.queue.PlacedCopy;
import io.godwit.inbox.leader.queue.Writes;
import io.godwit.inbox.leader.session.LeaderSession;
import io.godwit.inbox.leader.session.OwedRetained;
import io.godwit.inbox.leader.state.ConfirmedAnswers;
import io.godwit.inbox.leader.state.InboxState;
import io.godwit.inbox.leader.state.InboxStates;
import io.godwit.inbox.leader.state.StockKeeping;
import io.godwit.inbox.ledger.Ledger;
import io.godwit.inbox.ledger.MovedSession;
import io.godwit.inbox.ledger.Pending;
import io.godwit.inbox.ledger.Qos0Room;
import io.godwit.inbox.ledger.QueueBounds;
import io.godwit.inbox.ledger.QueueSettings;
import io.godwit.inbox.ledger.SeenTokens;
import io.godwit.inbox.local.InsertCall;
import io.godwit.inbox.local.InsertParts;
import io.godwit.inbox.local.Refusals;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.inbox.report.InboxReports;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RequestOrder;
import io.godwit.kv.coprocessor.LeaderContext;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides for each copy of a message whether it gets a place in the queue. Owned by the range leader.
 *
 * <p>Early push (a setting, QoS 1 only): if a connected client has nothing waiting before the message and credit left,
 * the message is sent at once, while its insert waits for the log. If the client acknowledges first, the insert is
 * cancelled: the debt to that client is paid, and the store never gets the message. If the log already has the insert,
 * its publisher is answered at once. A crash before the acknowledgement loses a message that only its receiver has: its
 * publisher has no answer and repeats. The sequence must be below both stored ceilings, so that after a crash no later
 * message gets the same sequence, and the message itself, if it was stored, is not taken for a new one. An attach or a
 * detach ends the {@link Attachment} whose acknowledgements count, so that earlier inserts are certainly written. A
 * message with a token is never pushed early, because the token must be stored.
 */
public final class InsertHandler {
    private static final int[] ONLY = {0};

    private final LeaderContext context;
    private final Writes writes;
    private final InboxStates states;
    private final StockKeeping stock;
    private final QueueSettings settings;
    private final InboxReports reports;
    private final Insert.Range range;
    private final Qos0Store qos0;
    private final Qos0Room room;
    private final Expiry expiry;
    /** Only for inserts, so that QoS 0 messages do not use up the limit for CONNECTs. */
    private final ConfirmedAnswers confirmed;

    public InsertHandler(
            LeaderContext context,
            Writes writes,
            InboxStates states,
            StockKeeping stock,
            Insert.Range range,
            Qos0Store qos0,
            Qos0Room room,
            Expiry expiry) {
        this.context = context;
        this.writes = writes;
        this.states = states;
        this.stock = stock;
        this.settings = room.settings();
        this.reports = room.reports();
        this.range = range;
        this.qos0 = qos0;
        this.room = room;
        this.expiry = expiry;
        this.confirmed = new ConfirmedAnswers(context, settings);
    }

    public void handle(InsertCall call) {
        InsertRequest request = call.request();
        List<InsertRequest.Target> all = request.targets();
        Insert insert = null;
        Batch batch = null;
        for (int target : call.targets()) {
            InboxId id = new InboxId(request.tenant(), all.get(target).clientId());
            if (call.mayNotPass(target, id)) {
                call.isMoved(target, Refusals.notLedHere());
                continue;
            }
            InboxState state = states.ready(id);
            if (state == null) {
                load(call, target, id);
                continue;
            }
            writes.closeFullBatch();
            if (insert == null || batch != null && batch != writes.openBatch()) {
                insert = new Insert(range, call, request.message());
                batch = null;
            }
            Batch used = place(call, target, state, insert, batch);
            batch = used != null ? used : batch;
        }
    }

    /** Leaves answers that wait for a proof of the leadership to the next leader. */
    public void stop(RangeException cause) {
        confirmed.stop(cause);
    }

    private void sayNo(InsertCall call, int target, InsertOutcome outcome) {
        confirmed.answer(() -> call.answer(target, outcome), cause -> call.notReached(target, context, cause));
    }

    private void load(InsertCall call, int target, InboxId id) {
        byte[] prefix = InboxKeys.prefix(id.tenant(), id.clientId());
        if (!context.bounds().contains(prefix)) {
            call.misrouted(target, context);
            return;
        }
        states.whenReady(id, prefix, new InboxState.Request() {
            @Override
            public void run(InboxState state) {
                place(
                        call,
                        target,
                        state,
                        new Insert(range, call, call.request().message()),
                        null);
            }

            @Override
            public void fail(RangeException cause) {
                call.notReached(target, context, cause);
            }
        });
    }

    /**
     * Answers the target or adds its copy to {@code insert}.
     *
     * @param batch that {@code insert} has already joined, null if none
     * @return the batch that {@code insert} has joined, null if still none
     */
    private @Nullable Batch place(InsertCall call, int target, InboxState state, Insert insert, @Nullable Batch batch) {
        InsertRequest request = call.request();
        InsertRequest.Target copy = request.targets().get(target);
        Message message = request.message();
        long now = context.nowMillis();
        LeaderSession session = liveSession(state, now);
        if (session == null || session.incarnation != copy.incarnation()) {
            sayNo(call, target, InsertOutcome.NO_SESSION);
            return batch;
        }
        String origin = request.tokenOrigin();
        String source = origin == null ? null : TokenRecord.source(origin, copy.sharedFilter());
        if (request.onlyAsks()) {
            if (source == null || !knowsToken(call, target, state, request, source, now)) {
                sayNo(call, target, InsertOutcome.DECLINED);
            }
            return batch;
        }
        if (copy.qos() != Qos.AT_MOST_ONCE && request.tokenOrigin() == null) {
            RangeException full = writes.diskFull();
            if (full != null) {
                call.fail(full);
                return batch;
            }
        }
        Attachment attachment = state.attachment();
        OwedRetained retained = call.isReplay() ? null : session.retained();
        if (message.isExpired(now)) {
            reports.dropped(state.id, message.topic(), DropReason.EXPIRED);
            call.answer(target, InsertOutcome.DROPPED);
            return batch;
        }
        if (copy.qos() == Qos.AT_MOST_ONCE) {
            if (call.isHeldBack()) { // the subscription, not the message, has QoS 0
                call.fail(InsertCall.heldBack());
                return batch;
            }
            call.answer(target, InsertOutcome.STORED);
            QueuedCopy unplaced = new QueuedCopy(0, message, copy.qos(), copy.retain(), copy.subscriptionIds(), null);
            if (retained != null) {
                retained.noteLive(message.topic(), state.queue.sequences().peek(), null, () -> false);
            }
            MovedSession awaited = state.awaited();
            if (attachment != null) {
                attachment.outbox().offerQos0(unplaced, call.isReplay());
            } else if (awaited != null) {
                awaited.addQos0(room, state.id, unplaced, state.queue.ledger().lastSequence(), call.isReplay());
            } else {
                qos0.store(state, unplaced);
            }
            return batch;
        }
        if (source != null && knowsToken(call, target, state, request, source, now)) {
            return batch;
        }
        if (call.isHeldBack()) {
            call.fail(InsertCall.heldBack());
            return batch;
        }
        if (!hasRoom(state)) {
            if (copy.mayDecline()) {
                sayNo(call, target, InsertOutcome.DECLINED);
                return batch;
            }
            if (!makeRoom(state, message)) {
                sayNo(call, target, InsertOutcome.DROPPED);
                return batch;
            }
        }
        if (!tenantHasRoom(state, message)) {
            if (copy.mayDecline()) {
                sayNo(call, target, InsertOutcome.DECLINED);
            } else {
                reports.dropped(state.id, message.topic(), DropReason.TENANT_QUEUE_FULL);
                sayNo(call, target, InsertOutcome.DROPPED);
            }
            return batch;
        }
        if (state.queue.isFull() && waiting(state) <= boundsOf(state).maxQueued() / 2) {
            state.queue.relieved(state.id, reports);
        }
        long sequence = state.queue.sequences().peek();
        Batch used = append(target, state, copy, insert, batch, request, now);
        if (retained != null) {
            retained.noteLive(message.topic(), sequence, used, insert::isHeldBack);
        }
        if (source != null) {
            state.queue.tokens().add(source, request.tokenNumber(), now, used);
        }
        return used;
    }

    /** Carries out replay steps of an inbox for the connection that holds its session. */
    Attachment.Replays replaysOf(InboxState state) {
        return new Attachment.Replays() {
            @Override
            public boolean mustWait(ReplayStep next) {
                LeaderSession session = state.session();
                OwedRetained retained = session == null ? null : session.retained();
                return retained != null
                        && (retained.mustWait()
                                || retained.isUndecided(
                                        next.filter(), next.message().topic()));
            }

            @Override
            public void take(ReplayStep step, Answer answer) {
                replay(state, step, answer);
            }
        };
    }

    /**
     * See {@link io.godwit.inbox.client.InboxAttachment#replay}. The session must be attached, and {@code mustWait}
     * false.
     */
    private void replay(InboxState state, ReplayStep step, Answer answer) {
        LeaderSession session = state.session();
        OwedRetained retained = session == null ? null : session.retained();
        if (session == null) {
            answer.fail(Mailbox.closed());
        } else if (retained == null || !retained.isOwed(step.filter())) {
            answer.reply(new InboxReply.Replay(ReplayOutcome.OUTDATED));
        } else if (retained.isAt(step.filter(), step.to())) {
            // an earlier leader had committed it, and was lost before it answered
            passOver(retained, step, answer, () -> answer.reply(new InboxReply.Replay(ReplayOutcome.OUTDATED)));
        } else if (!retained.isAt(step.filter(), step.from())) {
            answer.reply(new InboxReply.Replay(ReplayOutcome.BEHIND));
        } else if (step.message().isExpired(context.nowMillis())
                || retained.hasSeenLive(step.filter(), step.message().topic())) {
            passOver(retained, step, answer, () -> answer.reply(new InboxReply.Replay(ReplayOutcome.OUTDATED)));
        } else if (step.qos() == Qos.AT_MOST_ONCE) {
            passOver(retained, step, answer, () -> {
                if (retained.hasSeenLive(step.filter(), step.message().topic())) {
                    answer.reply(new InboxReply.Replay(ReplayOutcome.OUTDATED)); // a live message came meanwhile
                } else {
                    insertRetained(state, session, step, answer);
                }
            });
        } else if (!hasRoom(state) || !tenantHasRoom(state, step.message())) {
            answer.reply(new InboxReply.Replay(ReplayOutcome.FULL));
        } else {
            Batch used = insertRetained(state, session, step, answer);
            if (used != null) {
                retained.moveOn(step, used);
            }
        }
    }

    private static void passOver(OwedRetained retained, ReplayStep step, Answer answer, Runnable action) {
        Batch underWay = retained.passOver(step);
        if (underWay == null) {
            action.run();
            return;
        }
        underWay.whenDone(new Pending.Waiter() {
            @Override
            public void applied() {
                action.run();
            }

            @Override
            public void failed(RangeException cause) {
                answer.reply(new InboxReply.Replay(ReplayOutcome.BEHIND));
            }
        });
    }

    /** @return the batch that the message has joined; null when none */
    private @Nullable Batch insertRetained(InboxState state, LeaderSession session, ReplayStep step, Answer answer) {
        InsertRequest.Target copy = new InsertRequest.Target(
                state.id.clientId(), session.incarnation, step.qos(), true, step.subscriptionIds());
        InsertRequest request = new InsertRequest(state.id.tenant(), step.message(), List.of(copy), null, 0, 0);
        InsertCall call = new InsertCall(request, ONLY, new InsertParts(1, 1, new Inserted(answer)), true);
        return place(call, 0, state, new Insert(range, call, step.message()), null);
    }

    /** Answers a replay step whose message is inserted. */
    private record Inserted(Answer answer) implements Answer {
        @Override
        public void reply(InboxReply reply) {
            answer.reply(new InboxReply.Replay(ReplayOutcome.STORED));
        }

        @Override
        public void fail(RangeException cause) {
            answer.fail(cause);
        }
    }

    private Batch append(
            int target,
            InboxState state,
            InsertRequest.Target copy,
            Insert insert,
            @Nullable Batch joined,
            InsertRequest request,
            long now) {
        boolean early = mayPushEarly(state, copy, request);
        long sequence = writes.takeSequence(state);
        Batch batch = joined != null ? joined : writes.openBatch();
        PlacedCopy placed = new PlacedCopy(
                state,
                target,
                sequence,
                insert.message(),
                copy.qos(),
                copy.retain(),
                copy.subscriptionIds(),
                groupOf(copy, request));
        insert.addTo(batch, joined == null, placed);
        state.queue.ledger().placed();
        Attachment attachment = state.attachment();
        if (attachment != null) {
            attachment.outbox().placed(batch, sequence, now);
            if (early) {
                attachment.outbox().sendEarly(placed, now);
                attachment.sentEarly(placed, insert, batch);
            }
        }
        return batch;
    }

    private static @Nullable GroupCopy groupOf(InsertRequest.Target copy, InsertRequest request) {
        String filter = copy.sharedFilter();
        return filter == null ? null : new GroupCopy(filter, request.tokenOrigin(), request.tokenNumber());
    }

    /** The session; null when there is none or it has expired, in which case it is ended first. */
    private @Nullable LeaderSession liveSession(InboxState state, long now) {
        LeaderSession session = state.session();
        if (session != null
                && !state.isHeld()
                && SessionTimes.endsAt(session.detachedAtMillis(), session.expirySeconds()) <= now) {
            expiry.checkTimes(state);
            return state.session();
        }
        return session;
    }

    /** Answers a repeat once the message it repeats is stored. Returns whether the token is known. */
    private boolean knowsToken(
            InsertCall call, int target, InboxState state, InsertRequest request, String source, long now) {
        SeenTokens tokens = state.queue.knownTokens();
        if (tokens == null) {
            return false;
        }
        tokens.prune(
                source,
                request.tokenFinishedBelow(),
                now,
                () -> !writes.openBatch().isFull(),
                (name, number) -> writes.openBatch().delete(state, InboxKeys.tokenSuffix(name, number)));
        SeenTokens.Token token = tokens.find(source, request.tokenNumber());
        if (token == null) {
            boolean isLate = (request.targets().get(target).sharedFilter() == null || !request.mayBeLeftByMember())
                    && tokens.isFinished(source, request.tokenNumber());
            if (isLate) {
                call.answer(target, InsertOutcome.ALREADY_THERE);
            }
            return isLate;
        }
        Pending pending = token.pending();
        if (pending == null || pending.isDone()) {
            call.answer(target, InsertOutcome.ALREADY_THERE);
            return true;
        }
        RequestOrder order = request.order();
        if (order != null) {
            token.awaitedIn(order);
        }
        pending.whenDone(new Pending.Waiter() {
            @Override
            public void applied() {
                if (token.isLeftOut()) {
                    call.fail(InsertCall.heldBack());
                } else {
                    call.answer(target, InsertOutcome.ALREADY_THERE);
                }
            }

            @Override
            public void failed(RangeException cause) {
                if (call.goesOn(cause)) {
                    call.ended(target, cause);
                } else {
                    call.fail(cause);
                }
            }
        });
        return true;
    }

    private boolean mayPushEarly(InboxState state, InsertRequest.Target copy, InsertRequest request) {
        Attachment attachment = state.attachment();
        return settings.earlyPush()
                && copy.qos() == Qos.AT_LEAST_ONCE
                && attachment != null
                && attachment.outbox().maySendEarly(state.queue.sequences().peek())
                && request.tokenOrigin() == null
                && state.queue.sequences().isNextDurable()
                && !state.queue
                        .ledger()
                        .isNextPacketIdBusy(state.queue.sequences().peek());
    }

    /**
     * Whether the queue is below its limit. Messages that were sent and are not acknowledged do not count, nor, while
     * the client keeps taking messages, those whose write is pending.
     */
    private boolean hasRoom(InboxState state) {
        return waiting(state) < boundsOf(state).maxQueued();
    }

    /**
     * Whether one more message may wait for sessions of the tenant. A message that its client takes at once does not
     * wait: absent clients must not stop the messages for connected ones.
     */
    private boolean tenantHasRoom(InboxState state, Message message) {
        return stock.hasRoomFor(state.id, message.payload().length) || takesMore(state) && waiting(state) <= 0;
    }

    private QueueBounds boundsOf(InboxState state) {
        return settings.boundsOf(state.id.tenant());
    }

    private static int waiting(InboxState state) {
        Ledger ledger = state.queue.ledger();
        int underWay = takesMore(state) ? ledger.unapplied() : 0;
        return ledger.liveQueued() - ledger.sentLive() - underWay;
    }

    private static boolean takesMore(InboxState state) {
        Attachment attachment = state.attachment();
        MovedSession awaited = state.awaited();
        return attachment != null ? attachment.outbox().credit() > 0 : awaited != null && awaited.hasCredit;
    }

    /**
     * Drops one message of a full queue.
     *
     * @return false when the dropped message is the new one
     */
    private boolean makeRoom(InboxState state, Message message) {
        state.queue.droppedSinceFull(state.id, reports);
        Ledger ledger = state.queue.ledger();
        if (boundsOf(state).dropOldest()) {
            for (long ordinal = ledger.sentEnd(); ordinal < ledger.tailOrdinal(); ordinal++) {
                if (ledger.qosAt(ordinal) != 0 && !ledger.isFinishedAt(ordinal)) {
                    reports.dropped(state.id, ledger.topicAt(ordinal), DropReason.QUEUE_FULL_OLDEST);
                    writes.finish(state, ordinal);
                    return true;
                }
            }
        }
        reports.dropped(state.id, message.topic(), DropReason.QUEUE_FULL_NEWEST);
        return false;
    }
}
