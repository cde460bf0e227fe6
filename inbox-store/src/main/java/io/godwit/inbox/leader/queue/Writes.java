package io.godwit.inbox.leader.queue;

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
 * The writes of the leader: the open {@link Batch}, batches that wait to be proposed, and inboxes with finished marks
 * for the next batch. Owned by the range leader.
 */
public final class Writes implements Batch.Owner {
    /** Longest time that an acknowledgement waits for a batch to join. */
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
    /** The batch that is being encoded; null for none. */
    private @Nullable Batch sealing;

    private final List<Batch> toPropose = new ArrayList<>();
    /** The outcome of a batch is unknown. */
    private boolean isLeadershipOver;

    /** @param whenDone gets the inboxes that a batch wrote to, when it is done */
    public Writes(LeaderContext context, Consumer<List<Inbox>> whenDone) {
        this.context = context;
        this.whenDone = whenDone;
        this.turn = new Turn(context, this::propose);
    }

    public Turn turn() {
        return turn;
    }

    /**
     * Why nothing may be added to the store now; null when it may. Checked for data that users add. Not checked for
     * data that replaces stored data (a message with a token, the record of a session that continues) or that ends
     * something.
     */
    public @Nullable RangeException diskFull() {
        return context.mayAdd()
                ? null
                : new RangeException(Cause.DISK_FULL, "free disk is below the low-water mark: nothing is added");
    }

    /**
     * Closes a full batch. Called before each request and before other independent writes, so that each stays in one
     * mutation. Within a request only between parts that may be lost independently, such as QoS 0 messages.
     */
    public void closeFullBatch() {
        if (open != null && open.isFull()) {
            open = null;
        }
    }

    /** The batch for the next writes. */
    public Batch openBatch() {
        Batch batch = open;
        if (batch == null || batch.isDone()) {
            batch = new Batch(this, ++lastBatchId);
            open = batch;
            toPropose.add(batch);
            turn.endLater();
        }
        return batch;
    }

    /** Whether new writes join {@code batch}. */
    public boolean isOpen(Batch batch) {
        return batch == open && !batch.isDone();
    }

    /** Takes a sequence for the open batch, which also writes the ceiling if necessary. */
    public long takeSequence(Inbox state) {
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

    /** Whether another leader must follow, although this one was not notified yet. */
    public boolean isLeadershipOver() {
        return isLeadershipOver;
    }

    public void finish(Inbox state, long ordinal) {
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

    /** The log takes the batch: nothing can join it after this. Adds the finished marks. */
    @Override
    public void sealing(Batch batch) {
        sealing = batch;
        if (open == batch) {
            open = null;
        }
        for (Inbox state : batch.wantedProgress()) {
            // otherwise the session it was wanted for is over
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
            openBatch().whenDone(Batch.NOBODY); // takes the rest, or as much as fits
        }
    }

    /** @return false when the batch had no room for all additions */
    private static boolean addProgress(Batch batch, Inbox state) {
        state.writes.setDirty(false);
        state.queue.setHasData();
        batch.addProgress(state);
        return !state.tellMoved(batch);
    }

    /** A copy was encoded in the batch being sealed. */
    public void runWritten(PlacedCopy copy) {
        if (copy.state.writes.beginRun(sealing)) {
            copy.ledger.markRunStart(copy.sequence);
        }
    }

    /** Cancels a copy that its client has acknowledged; also cancels the batch when it is empty then. */
    public void copyTakenBack(Batch batch) {
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

    /** Proposes all decisions and finished marks. May be called again. */
    public void settle() {
        if (!dirty.isEmpty() && !hasFailedSettling) {
            openBatch().whenDone(new Pending.Waiter() {
                @Override
                public void applied() {}

                @Override
                public void failed(RangeException cause) {
                    hasFailedSettling = true; // do not retry: connections also report what is finished
                }
            });
        }
        turn.end();
    }

    /** The leader has stopped: fails the batches that were not proposed. */
    public void failUnproposed(RangeException cause) {
        List<Batch> unproposed = List.copyOf(toPropose);
        toPropose.clear();
        unproposed.forEach(batch -> batch.failed(cause));
    }

    public void clear() {
        dirty.clear();
    }
}
