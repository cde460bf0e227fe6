package io.godwit.inbox.queue;

import io.godwit.inbox.client.InboxListener;
import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.coprocessor.LeaderContext;
import io.godwit.kv.coprocessor.RangeLeader;
import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.plugin.event.DropReason;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leader of one range of inboxes. It decides everything; what the store applies is only the outcome.
 *
 * <p>The life of a message: {@link InsertHandler} gives it a sequence and a place in the {@link Ledger} of each inbox and puts it into the open
 * {@link Batch}. When the log takes the batch it is encoded, with the finished marks of all inboxes that have any ({@link #sealing}). When it is
 * applied, the publisher's answer goes out and {@link Outbox} sends the message, from memory if the client keeps up, else out of the store. The client's
 * acknowledgement ({@link Attachment}) finishes its ledger entry; that is written with the next batch.
 *
 * <p>Crash points, in order. Before the batch is committed: nobody was told anything (but see early push in {@link InsertHandler}).
 * After it, before the publisher's answer: the publisher repeats, QoS 2 by token. After the delivery, before the finished mark is committed: the message is delivered again,
 * marked as a repetition, with the packet id it had. A session is over once its record says so: its routes are removed after that, and again after a
 * crash, until the record has forgotten them. A will is owed once the record says so: it is published after that, and again after a crash,
 * under one token, until the record has forgotten it.
 *
 * <p>The end of a leadership in good order is none for connections: {@link #settle}, then {@link #stop} with {@code MOVED} (docs/adr/0020).
 *
 * <p>An {@link InboxState} is loaded when first asked for and evicted when idle. What could not be written (full disk, overload) is undone in memory where that is
 * simple, an insert; otherwise the state is discarded and loaded again ({@link #discard}).
 *
 * <p>Everything here runs on the range executor, but for {@link Mailbox#post}.
 */
final class InboxLeader implements RangeLeader {
    /** Runs below the floor that make a range delete worth it. */
    static final int TRIM_RUNS = 64;

    private static final Logger LOG = LoggerFactory.getLogger(InboxLeader.class);
    /** An acknowledgement waits at most so long for a batch to ride on. */
    private static final long LAZY_MILLIS = 1000;
    /** How soon it is looked again whether another leader has left what it is about to leave. */
    private static final long COMING_MILLIS = 5;

    private final LeaderContext context;
    private final QueueSettings settings;
    private final Surroundings outside;
    private final InsertHandler inserts;
    private final Lifecycle lifecycle;
    private final InboundHandler inbound;
    private final Agenda agenda;
    private final RecordCount.Part records;
    private final StoredInboxes.Part storedInboxes;
    /** Null when nobody asks. */
    private final Stock.@Nullable Part stock;

    private final Holds holds = new Holds();
    private final SharedTopics topics = new SharedTopics();

    private final Map<InboxId, InboxState> states = new HashMap<>();
    private final IdleInboxes idle;
    private final List<InboxState> dirty = new ArrayList<>();
    private boolean lazyFlushScheduled;
    /** Another leader follows in good order: nothing new is begun here. */
    private boolean isSettling;

    private boolean settlingFailed;
    /** Told to {@link MovedSessions}. */
    private final List<InboxId> announced = new ArrayList<>(0);
    /** And it follows now: what stands in memory is not needed any more, however it differs from the store. */
    private boolean isMoved;

    private long lastBatchId;
    /** The newest batch; null when it has been sealed. */
    private @Nullable Batch open;
    /** While one is encoded. */
    private @Nullable Batch sealing;

    private final List<Batch> toPropose = new ArrayList<>();
    private boolean turnEndQueued;
    private final List<Outbox> toPump = new ArrayList<>();
    private final List<Outbox> toFlush = new ArrayList<>();

    private final Mailbox mailbox;

    InboxLeader(LeaderContext context, QueueSettings settings, Surroundings outside) {
        this.context = context;
        this.settings = settings;
        this.outside = outside;
        this.idle = new IdleInboxes(settings.maxIdle(), this::forget);
        this.mailbox = new Mailbox(context, this::closeFullBatch);
        this.records = outside.records().new Part();
        this.storedInboxes = outside.storedInboxes().new Part(context.bounds());
        Stock asked = outside.stock();
        this.stock = asked == null ? null : asked.new Part();
        this.inserts = new InsertHandler(this);
        Obligations obligations = new Obligations(this);
        this.inbound = new InboundHandler(this);
        this.lifecycle = new Lifecycle(this, obligations, inbound);
        this.agenda = new Agenda(this, lifecycle);
        agenda.start();
        if (stock != null) {
            new StockWalk(this, stock).start();
        }
    }

    QueueSettings settings() {
        return settings;
    }

    Surroundings outside() {
        return outside;
    }

    private void forget(InboxState state) {
        inserts.queueRelieved(state);
        states.remove(state.id, state);
        if (stock != null) {
            stock.forgotten(state);
        }
    }

    InboxReports reports() {
        return outside.reports();
    }

    RecordCount.Part records() {
        return records;
    }

    StoredInboxes.Part storedInboxes() {
        return storedInboxes;
    }

    /** Of a session that has no message yet. May be called on any thread. */
    Ledger newLedger(long first) {
        return stock == null ? new Ledger(first) : Ledger.withSizes(first);
    }

    /** The state has got a ledger that no message was put into yet. */
    void ledgerBegun(InboxState state) {
        if (stock != null) {
            state.ledger.joinStock(stock, true);
        }
    }

    /** A session has begun or ended, or has got or lost its connection. */
    void sessionChanged(InboxState state) {
        if (stock != null) {
            stock.sessionChanged(state);
        }
    }

    Holds holds() {
        return holds;
    }

    SharedTopics topics() {
        return topics;
    }

    LeaderContext context() {
        return context;
    }

    Agenda agenda() {
        return agenda;
    }

    Lifecycle lifecycle() {
        return lifecycle;
    }

    InboundHandler inbound() {
        return inbound;
    }

    InsertHandler inserts() {
        return inserts;
    }

    long nowMillis() {
        return context.nowMillis();
    }

    // --- requests

    @Override
    public void handle(LeaderRequest request) {
        if (request instanceof InsertCall insert) {
            inserts.handle(insert);
        } else if (request instanceof SessionCall session) {
            whenReady(session.id(), session.prefix(), new InboxState.Request() {
                @Override
                public void run(InboxState state) {
                    session.run(lifecycle, state);
                }

                @Override
                public void fail(RangeException cause) {
                    session.fail(cause);
                }
            });
        } else {
            request.fail(new RangeException(Cause.STORE_FAILED, "not a request for inboxes: " + request.getClass()));
        }
    }

    /** Where connections put their calls. */
    Mailbox mailbox() {
        return mailbox;
    }

    // --- states

    /** The state if it is in memory and ready, else null. */
    @Nullable
    InboxState ready(InboxId id) {
        InboxState state = states.get(id);
        if (state == null || !state.ready) {
            return null;
        }
        state.used = true;
        return state;
    }

    /** Runs the request now or once the inbox has been loaded, behind those already waiting for that. */
    void whenReady(InboxId id, byte[] prefix, InboxState.Request request) {
        closeFullBatch();
        InboxState state = states.get(id);
        if (state != null && state.ready) {
            state.used = true;
            request.run(state);
            return;
        }
        if (state == null) {
            state = new InboxState(id, prefix);
            states.put(id, state);
            load(state);
        }
        if (state.waiting == null) {
            state.waiting = new ArrayDeque<>();
        }
        state.waiting.add(request);
    }

    private void load(InboxState placeholder) {
        InboxId id = placeholder.id;
        byte[] prefix = placeholder.prefix;
        if (outside.moved().isComing(id)) {
            context.schedule(COMING_MILLIS, () -> load(placeholder));
            return;
        }
        context.read(reader -> InboxLoader.load(reader, this, id, prefix), (loaded, failure) -> {
            if (loaded == null) {
                LOG.error(
                        "inbox not readable tenant={} client={}",
                        id.tenant().value(),
                        id.clientId().value(),
                        failure);
                states.remove(id);
                failWaiting(placeholder, new RangeException(Cause.STORE_FAILED, "inbox not readable: " + failure));
                return;
            }
            ArrayDeque<InboxState.Request> waiting = placeholder.waiting;
            loaded.ready = true;
            states.put(id, loaded);
            if (stock != null) {
                stock.loaded(loaded);
            }
            lifecycle.loaded(loaded);
            while (waiting != null && !waiting.isEmpty()) {
                closeFullBatch();
                waiting.remove().run(loaded);
            }
            idle.offer(loaded);
        });
    }

    private static void failWaiting(InboxState state, RangeException cause) {
        ArrayDeque<InboxState.Request> waiting = state.waiting;
        if (waiting != null) {
            waiting.forEach(request -> request.fail(cause));
            state.waiting = null;
        }
    }

    /** What stands in memory could not be written. The connection is cut off, and the inbox loaded again once no batch is under way. */
    void discard(InboxState state) {
        if (state.discarded || isMoved) {
            return;
        }
        state.discarded = true;
        state.ready = false;
        cutOff(state);
        if (stock != null) {
            stock.discarded(state);
        }
        inbound.stop(state, Mailbox.closed());
        if (state.batches == 0) {
            reload(state);
        }
    }

    private void cutOff(InboxState state) {
        Attachment attachment = state.attachment;
        MovedSession awaited = state.awaited;
        if (attachment != null) {
            state.attachment = null;
            reports().dropped(state.id, attachment.close(InboxListener.Reason.UNAVAILABLE), DropReason.STORE_FAILED);
        } else if (awaited != null) {
            state.awaited = null;
            awaited.lost(state.id, reports());
        }
    }

    /** Leaves its connection to the next leader. */
    private void move(InboxState state, RangeException cause) {
        inserts.queueRelieved(state);
        Attachment attachment = state.attachment;
        MovedSession awaited = state.awaited;
        if (attachment != null) {
            state.attachment = null;
            attachment.move(cause, outside.moved(), nowMillis());
        } else if (awaited != null) { // its connection has not come here yet
            state.awaited = null;
            awaited.waitFrom(nowMillis());
            outside.moved().leave(state.id, awaited);
        }
    }

    private void reload(InboxState state) {
        states.remove(state.id);
        // the record may say attached; whoever looks puts that right
        agenda.lookAgain(state.id, LAZY_MILLIS);
        ArrayDeque<InboxState.Request> waiting = state.waiting;
        if (waiting != null) {
            InboxState placeholder = new InboxState(state.id, state.prefix);
            placeholder.waiting = waiting;
            states.put(state.id, placeholder);
            load(placeholder);
        }
    }

    // --- what is written

    /**
     * Why nothing may be added to the store now; null when it may. What users add asks for it. Not asked for: what takes the place of something
     * stored (a message with a token, a session's record), and what ends things.
     */
    @Nullable
    RangeException diskFull() {
        return context.mayAdd()
                ? null
                : new RangeException(Cause.DISK_FULL, "free disk is below the low-water mark: nothing is added");
    }

    /** Before a request: a full batch takes no more. Never in the middle of one, so that what a request writes stays in one mutation. */
    void closeFullBatch() {
        if (open != null && open.isFull()) {
            open = null;
        }
    }

    /** The batch that takes what is written next. */
    Batch openBatch() {
        Batch batch = open;
        if (batch == null || batch.isDone()) {
            batch = new Batch(this, ++lastBatchId);
            open = batch;
            toPropose.add(batch);
            endTurnLater();
        }
        return batch;
    }

    /** Whether what is written now joins {@code batch}. */
    boolean isOpen(Batch batch) {
        return batch == open && !batch.isDone();
    }

    /** Takes a sequence; the ceiling is raised in the open batch when need be. */
    long takeSequence(InboxState state) {
        SequenceAllocator sequences = state.sequences;
        long sequence = sequences.take();
        if (sequences.needsRaise()) {
            long ceiling = sequences.raise();
            Batch batch = openBatch();
            ByteWriter value = new ByteWriter(8);
            value.u64(ceiling);
            batch.put(state, InboxKeys.suffix(InboxKeys.CEILING), value.toBytes());
            batch.whenDone(new Batch.Waiter() {
                @Override
                public void applied() {
                    sequences.raised(ceiling);
                }

                @Override
                public void failed(RangeException cause) {
                    sequences.raiseFailed();
                }
            });
        }
        return sequence;
    }

    /** Once what is written now is stored, nothing is published under the token any more: all who remember it are told. */
    void tellFinished(String tokenOrigin, long tokenNumber) {
        openBatch().whenDone(new Batch.Waiter() {
            @Override
            public void applied() {
                outside.finished().finished(tokenOrigin, tokenNumber);
            }

            @Override
            public void failed(RangeException cause) {}
        });
    }

    void finish(InboxState state, long ordinal) {
        state.ledger.finish(ordinal);
        markDirty(state);
    }

    void markDirty(InboxState state) {
        if (state.dirty || state.discarded || state.session == null) {
            return;
        }
        state.dirty = true;
        dirty.add(state);
        if (!lazyFlushScheduled) {
            lazyFlushScheduled = true;
            context.schedule(LAZY_MILLIS, () -> {
                lazyFlushScheduled = false;
                if (!dirty.isEmpty()) {
                    openBatch().whenDone(Batch.NOBODY);
                }
            });
        }
    }

    /** The log takes the batch: nothing can join it any more. Finished marks go along. */
    void sealing(Batch batch) {
        sealing = batch;
        if (open == batch) {
            open = null;
        }
        for (InboxState state : batch.wantedProgress()) {
            // else the session it was wanted for is over
            if (state.session != null && !state.discarded && state.progressNotBefore <= batch.id) {
                addProgress(batch, state);
            }
        }
        List<InboxState> later = new ArrayList<>(0);
        for (InboxState state : dirty) {
            if (state.discarded || !state.dirty) {
                state.dirty = false;
            } else if (state.progressNotBefore > batch.id) {
                later.add(state);
            } else {
                addProgress(batch, state);
            }
        }
        dirty.clear();
        dirty.addAll(later);
    }

    private static void addProgress(Batch batch, InboxState state) {
        state.dirty = false;
        state.hasData = true;
        batch.addProgress(state);
        Session session = state.session;
        if (session != null && session.retained != null) {
            session.retained.tellMoved(batch);
        }
    }

    /** A copy was encoded in the batch being sealed. */
    void runWritten(PlacedCopy copy) {
        if (copy.state.runBatch != sealing) {
            copy.state.runBatch = sealing;
            copy.ledger.markRunStart(copy.sequence);
        }
    }

    /** Takes back a copy that its client is done with; and the batch, when that was all. */
    void copyTakenBack(Batch batch) {
        batch.copyTakenBack();
        if (batch.isVoid() && batch.cancel()) {
            if (open == batch) {
                open = null;
            }
            batch.dismissed();
        }
    }

    void batchDone(List<InboxState> touched) {
        for (InboxState state : touched) {
            if (state.discarded) {
                if (state.batches == 0 && states.get(state.id) == state) {
                    reload(state);
                }
            } else {
                idle.offer(state);
            }
        }
        sendAll();
    }

    // --- the end of a turn: what many requests have brought goes out together

    void pumpLater(Outbox outbox) {
        toPump.add(outbox);
    }

    void flushLater(Outbox outbox) {
        toFlush.add(outbox);
        endTurnLater();
    }

    private void endTurnLater() {
        if (!turnEndQueued) {
            turnEndQueued = true;
            context.execute(this::endTurn);
        }
    }

    private void endTurn() {
        turnEndQueued = false;
        sendAll();
        List<Batch> ready = List.copyOf(toPropose);
        toPropose.clear();
        for (Batch batch : ready) {
            if (batch.isVoid()) {
                if (open == batch) {
                    open = null;
                }
                batch.dismissed();
            } else {
                context.propose(batch);
            }
        }
    }

    private void sendAll() {
        for (int i = 0; i < toPump.size(); i++) {
            toPump.get(i).pump();
        }
        toPump.clear();
        for (int i = 0; i < toFlush.size(); i++) {
            toFlush.get(i).flush();
        }
        toFlush.clear();
    }

    /** Reads for an inbox; one that cannot be read is discarded. */
    <T> void read(InboxState state, Function<RangeReader, T> work, Consumer<T> then) {
        context.read(work, (result, failure) -> {
            if (result != null) {
                then.accept(result);
                return;
            }
            LOG.error(
                    "queue not readable tenant={} client={}",
                    state.id.tenant().value(),
                    state.id.clientId().value(),
                    failure);
            discard(state);
        });
    }

    /** Whether another leader follows: what is not needed to answer what was accepted is left to it. */
    boolean isSettling() {
        return isSettling;
    }

    /** The session is attached while this leader settles: the next one may be there before this one has stopped, for its range has been cut in two. */
    void announce(InboxState state) {
        announced.add(state.id);
        outside.moved().announce(state.id);
    }

    /**
     * Proposes what was decided, and what is finished: then nothing that a client was told, or has told, is in this memory alone but for what
     * {@link MovedSession} carries over.
     */
    @Override
    public void settle() {
        if (!isSettling) {
            isSettling = true;
            storedInboxes.withdraw();
            states.values().stream().filter(InboxState::isHeld).forEach(this::announce);
        }
        if (!dirty.isEmpty() && !settlingFailed) {
            openBatch().whenDone(new Batch.Waiter() {
                @Override
                public void applied() {}

                @Override
                public void failed(RangeException cause) {
                    settlingFailed = true; // not again and again: the connections tell what is finished, too
                }
            });
        }
        endTurn();
    }

    @Override
    public void stop(RangeException cause) {
        isMoved = cause.reason() == Cause.MOVED;
        mailbox.stop(isMoved ? cause : Mailbox.closed());
        records.stop();
        storedInboxes.withdraw();
        List<Batch> unproposed = List.copyOf(toPropose);
        toPropose.clear();
        unproposed.forEach(batch -> batch.failed(cause));
        for (InboxState state : states.values()) {
            failWaiting(state, cause);
            inbound.stop(state, cause);
            if (isMoved) {
                move(state, cause);
            } else {
                cutOff(state);
            }
        }
        if (isMoved) {
            outside.moved().noteIncarnation(lifecycle.lastIncarnation());
            outside.moved().forgetOld(nowMillis(), reports());
        }
        outside.moved().withdraw(announced);
        states.clear();
        idle.clear();
        dirty.clear();
        if (stock != null) {
            stock.stop();
        }
    }
}
