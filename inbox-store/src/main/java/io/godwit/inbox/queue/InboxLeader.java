package io.godwit.inbox.queue;

import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.inbox.protocol.SessionCommand;
import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.client.Resend;
import io.godwit.kv.coprocessor.LeaderContext;
import io.godwit.kv.coprocessor.RangeLeader;
import io.godwit.plugin.message.Message;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The leader of one range of inboxes. It decides everything; what the store applies is only the outcome.
 *
 * <p>The life of a message: {@link InsertHandler} gives it a sequence and a place in the {@link Ledger} of each inbox
 * and puts it into the open {@link Batch}. When the log takes the batch it is encoded, with the finished marks of all
 * inboxes that have any ({@link #sealing}). When it is applied, the publisher's answer goes out and {@link Outbox}
 * sends the message, from memory if the client keeps up, else out of the store. The client's acknowledgement
 * ({@link Attachment}) finishes its ledger entry; that is written with the next batch.
 *
 * <p>Crash points, in order. Before the batch is committed: nobody was told anything (but see early push in
 * {@link InsertHandler}). After it, before the publisher's answer: the publisher repeats, QoS 2 by token. After the
 * delivery, before the finished mark is committed: the message is delivered again, marked as a repetition, with the
 * packet id it had. A session is over once its record says so: its routes are removed after that, and again after a
 * crash, until the record has forgotten them. A will is owed once the record says so: it is published after that, and
 * again after a crash, under one token, until the record has forgotten it.
 *
 * <p>The end of a leadership in good order is none for connections: {@link #settle}, then {@link #stop} with
 * {@code MOVED} (docs/adr/0020).
 *
 * <p>{@link InboxStates} has the inboxes that are in memory, loads and gives them up.
 *
 * <p>Everything here runs on the range executor, but for {@link Mailbox#post}.
 */
final class InboxLeader implements RangeLeader {
    /** Runs below the floor that make a range delete worth it. */
    static final int TRIM_RUNS = 64;

    /** An acknowledgement waits at most so long for a batch to ride on. */
    private static final long LAZY_MILLIS = 1000;

    private final LeaderContext context;
    private final QueueSettings settings;
    private final Surroundings outside;
    private final InboxStates states;
    private final InsertHandler inserts;
    private final Lifecycle lifecycle;
    private final InboundHandler inbound;
    private final Agenda agenda;
    private final RecordCount.Part records;
    private final StoredInboxes.Part storedInboxes;

    private final Holds holds = new Holds();
    private final SharedTopics topics = new SharedTopics();

    private final List<InboxState> dirty = new ArrayList<>();
    private boolean lazyFlushScheduled;
    /** Another leader follows in good order: nothing new is begun here. */
    private boolean isSettling;

    private boolean settlingFailed;
    /** Of what this leader publishes: the next one publishes it again, under the same tokens. */
    private final UntilOver untilOver = new UntilOver();

    /** Told to {@link MovedSessions}. */
    private final List<InboxId> announced = new ArrayList<>(0);

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
        this.mailbox = new Mailbox(context, this::closeFullBatch);
        this.records = outside.records().new Part();
        this.storedInboxes = outside.storedInboxes().new Part(context.bounds());
        this.states = new InboxStates(this);
        this.inserts = new InsertHandler(this);
        Obligations obligations = new Obligations(this);
        this.inbound = new InboundHandler(this);
        this.lifecycle = new Lifecycle(this, obligations, inbound);
        this.agenda = new Agenda(this, lifecycle);
        agenda.start();
        states.startCounting();
    }

    QueueSettings settings() {
        return settings;
    }

    Surroundings outside() {
        return outside;
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

    InboxStates states() {
        return states;
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
        } else if (request instanceof SessionCall call && call.mayNotPass()) {
            call.fail(InsertCall.notLedHere());
        } else if (request instanceof SessionCall call && call.command() instanceof SessionCommand.DetachLate late) {
            lifecycle.detachedLate(
                    late.inbox(),
                    new Disconnect(
                            late.incarnation(), Disconnect.LATE, late.expirySeconds(), late.publishWill(), false));
            call.answer().reply(InboxReply.DONE);
        } else if (request instanceof SessionCall session) {
            states.whenReady(session.id(), session.prefix(), new InboxState.Request() {
                @Override
                public void run(InboxState state) {
                    lifecycle.handle(state, session);
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

    /** Abandoned before another leader can follow, unless Raft replaces this one before it knows. Any thread. */
    Resend untilOver() {
        return untilOver;
    }

    /** Not the leader itself: what waits far away must not keep that in memory. */
    private static final class UntilOver implements Resend {
        private volatile boolean isOver;

        @Override
        public boolean isAbandoned() {
            return isOver;
        }
    }

    /** Where connections put their calls. */
    Mailbox mailbox() {
        return mailbox;
    }

    // --- what is written

    /**
     * Why nothing may be added to the store now; null when it may. What users add asks for it. Not asked for: what
     * takes the place of something stored (a message with a token, the record of a session that goes on), and what ends
     * things.
     */
    @Nullable
    RangeException diskFull() {
        return context.mayAdd()
                ? null
                : new RangeException(Cause.DISK_FULL, "free disk is below the low-water mark: nothing is added");
    }

    /**
     * A full batch takes no more. Called before a request, and before whatever else writes by itself: its own part
     * stays in one mutation. In the middle of a request only between parts of which each may be lost alone, such as
     * messages of QoS 0.
     */
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

    /** Takes a sequence for the open batch, which brings the ceiling along when need be. */
    long takeSequence(InboxState state) {
        SequenceAllocator sequences = state.sequences;
        long sequence = sequences.take();
        if (sequences.isAboveStored() && sequences.mustTell(openBatch().id)) {
            Batch batch = openBatch();
            long ceiling = sequences.tell(batch.id);
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

    /**
     * Once what is written now is stored, nothing is published under the token any more: all who remember it are told.
     */
    void tellFinished(InboxState state, @Nullable Message message, String tokenOrigin, long tokenNumber) {
        openBatch().whenDone(new Batch.Waiter() {
            @Override
            public void applied() {
                outside.finished().finished(state.id.tenant(), message, tokenOrigin, tokenNumber);
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
        boolean isCut = false;
        for (InboxState state : dirty) {
            if (state.discarded || !state.dirty) {
                state.dirty = false;
            } else if (state.progressNotBefore > batch.id) {
                later.add(state);
            } else if (batch.hasNoRoom()) {
                isCut = true;
                later.add(state);
            } else if (!addProgress(batch, state)) {
                isCut = true;
                state.dirty = true;
                later.add(state);
            }
        }
        dirty.clear();
        dirty.addAll(later);
        if (isCut) {
            openBatch().whenDone(Batch.NOBODY); // takes the rest, or as much of it as it has room for
        }
    }

    /** @return false when there was no room for all that goes along with it */
    private static boolean addProgress(Batch batch, InboxState state) {
        state.dirty = false;
        state.hasData = true;
        batch.addProgress(state);
        Session session = state.session;
        return session == null || session.retained == null || !session.retained.tellMoved(batch);
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
        states.batchDone(touched);
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

    // --- the end of the leader

    /** Whether another leader follows: what is not needed to answer what was accepted is left to it. */
    boolean isSettling() {
        return isSettling;
    }

    /**
     * The session is attached while this leader settles: the next one may be there before this one has stopped, for its
     * range has been cut in two.
     */
    void announce(InboxState state) {
        announced.add(state.id);
        outside.moved().announce(state.id);
    }

    /**
     * Proposes what was decided, and what is finished: then nothing that a client was told, or has told, is in this
     * memory alone but for what {@link MovedSession} carries over.
     */
    @Override
    public void settle() {
        if (!isSettling) {
            isSettling = true;
            untilOver.isOver = true; // the leader of a part may be there before this one has stopped
            storedInboxes.withdraw();
            states.forEachHeld(this::announce);
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
        untilOver.isOver = true;
        boolean isMoved = cause.reason() == Cause.MOVED;
        if (isMoved) {
            states.moved(); // before batches fail
        }
        mailbox.stop(isMoved ? cause : Mailbox.closed());
        records.stop();
        storedInboxes.withdraw();
        List<Batch> unproposed = List.copyOf(toPropose);
        toPropose.clear();
        unproposed.forEach(batch -> batch.failed(cause));
        states.stop(cause);
        inserts.stop(cause);
        if (isMoved) {
            outside.moved().noteIncarnation(lifecycle.lastIncarnation());
            lifecycle.leaveUnwritten();
            outside.moved().forgetOld(nowMillis(), reports());
        }
        outside.moved().withdraw(announced);
        dirty.clear();
    }
}
