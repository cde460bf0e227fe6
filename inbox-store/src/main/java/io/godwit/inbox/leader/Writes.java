package io.godwit.inbox.leader;

import io.godwit.inbox.format.ByteWriter;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.ledger.Pending;
import io.godwit.inbox.ledger.SequenceAllocator;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.coprocessor.LeaderContext;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the leader writes: the open {@link Batch}, those that wait to be proposed, and the inboxes with finished marks
 * that go along with the next one. Owned by the range leader.
 */
final class Writes implements Batch.Owner {
    /** An acknowledgement waits at most so long for a batch to ride on. */
    private static final long LAZY_MILLIS = 1000;

    private final LeaderContext context;
    private final Consumer<List<Inbox>> whenDone;
    private final Turn turn;

    private final List<Inbox> dirty = new ArrayList<>();
    private boolean isLazyFlushScheduled;
    private boolean hasFailedSettling;

    private long lastBatchId;
    /** The newest batch; null when it has been sealed. */
    private @Nullable Batch open;
    /** While one is encoded. */
    private @Nullable Batch sealing;

    private final List<Batch> toPropose = new ArrayList<>();
    /** The outcome of a batch is not known. */
    private boolean isLeadershipOver;

    /** @param whenDone told of the inboxes that a batch wrote to, when it is done */
    Writes(LeaderContext context, Consumer<List<Inbox>> whenDone) {
        this.context = context;
        this.whenDone = whenDone;
        this.turn = new Turn(context, this::propose);
    }

    Turn turn() {
        return turn;
    }

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
            turn.endLater();
        }
        return batch;
    }

    /** Whether what is written now joins {@code batch}. */
    boolean isOpen(Batch batch) {
        return batch == open && !batch.isDone();
    }

    /** Takes a sequence for the open batch, which brings the ceiling along when need be. */
    long takeSequence(Inbox state) {
        SequenceAllocator sequences = state.queue.sequences();
        long sequence = sequences.take();
        if (sequences.isAboveStored() && sequences.mustTell(openBatch().id)) {
            Batch batch = openBatch();
            long ceiling = sequences.tell(batch.id);
            ByteWriter value = new ByteWriter(8);
            value.u64(ceiling);
            batch.put(state, InboxKeys.suffix(InboxKeys.CEILING), value.toBytes());
            batch.whenDone(new Pending.Waiter() {
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

    @Override
    public void leadershipEnds() {
        isLeadershipOver = true;
    }

    /** Whether another leader is to follow, though this one was not told so yet. */
    boolean isLeadershipOver() {
        return isLeadershipOver;
    }

    void finish(Inbox state, long ordinal) {
        state.queue.ledger().finish(ordinal);
        markDirty(state);
    }

    @Override
    public void markDirty(Inbox state) {
        if (state.writes.isDirty() || state.residency.isDiscarded() || !state.hasSession()) {
            return;
        }
        state.writes.setDirty(true);
        dirty.add(state);
        if (!isLazyFlushScheduled) {
            isLazyFlushScheduled = true;
            context.schedule(LAZY_MILLIS, () -> {
                isLazyFlushScheduled = false;
                if (!dirty.isEmpty()) {
                    openBatch().whenDone(Batch.NOBODY);
                }
            });
        }
    }

    /** The log takes the batch: nothing can join it any more. Finished marks go along. */
    @Override
    public void sealing(Batch batch) {
        sealing = batch;
        if (open == batch) {
            open = null;
        }
        for (Inbox state : batch.wantedProgress()) {
            // else the session it was wanted for is over
            if (state.hasSession() && !state.residency.isDiscarded() && state.writes.progressNotBefore() <= batch.id) {
                addProgress(batch, state);
            }
        }
        List<Inbox> later = new ArrayList<>(0);
        boolean isCut = false;
        for (Inbox state : dirty) {
            if (state.residency.isDiscarded() || !state.writes.isDirty()) {
                state.writes.setDirty(false);
            } else if (state.writes.progressNotBefore() > batch.id) {
                later.add(state);
            } else if (batch.hasNoRoom()) {
                isCut = true;
                later.add(state);
            } else if (!addProgress(batch, state)) {
                isCut = true;
                state.writes.setDirty(true);
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
    private static boolean addProgress(Batch batch, Inbox state) {
        state.writes.setDirty(false);
        state.queue.setHasData();
        batch.addProgress(state);
        return !state.tellMoved(batch);
    }

    /** A copy was encoded in the batch being sealed. */
    void runWritten(PlacedCopy copy) {
        if (copy.state.writes.beginRun(sealing)) {
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

    @Override
    public void done(List<Inbox> touched) {
        whenDone.accept(touched);
        turn.sendAll();
    }

    private void propose() {
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

    // --- the end of the leader

    /** Proposes what was decided, and what is finished. May be called again. */
    void settle() {
        if (!dirty.isEmpty() && !hasFailedSettling) {
            openBatch().whenDone(new Pending.Waiter() {
                @Override
                public void applied() {}

                @Override
                public void failed(RangeException cause) {
                    hasFailedSettling = true; // not again and again: the connections tell what is finished, too
                }
            });
        }
        turn.end();
    }

    /** The leader is over: what was not proposed will not be. */
    void failUnproposed(RangeException cause) {
        List<Batch> unproposed = List.copyOf(toPropose);
        toPropose.clear();
        unproposed.forEach(batch -> batch.failed(cause));
    }

    void clear() {
        dirty.clear();
    }
}
