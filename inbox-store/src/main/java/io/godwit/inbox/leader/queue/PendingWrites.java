package io.godwit.inbox.leader.queue;

import io.godwit.inbox.ledger.Pending;
import org.jspecify.annotations.Nullable;

/**
 * How far an inbox in memory is ahead of the store: its pending batches, and what is still to be written. Written by
 * {@link Batch}, {@link Writes} and {@code SessionRecords}.
 */
public final class PendingWrites {
    private int batches;
    private @Nullable Pending lastBatch;
    private int tableIndex;
    private @Nullable Pending runBatch;

    private int recordBytes;
    private @Nullable Pending recordIn;

    private boolean isDirty;
    private @Nullable Pending progressWantedBy;
    private long progressNotBefore;

    // --- batches

    /** The batch writes to the inbox until {@link #batchDone}; returns whether that is new. */
    boolean join(Pending batch) {
        if (lastBatch == batch) {
            return false;
        }
        lastBatch = batch;
        batches++;
        return true;
    }

    void batchDone() {
        batches--;
    }

    public boolean isUnderWay() {
        return batches > 0;
    }

    /** Its index in the table of the batch that is being sealed. */
    public int tableIndex() {
        return tableIndex;
    }

    void setTableIndex(int index) {
        tableIndex = index;
    }

    /** The batch being sealed contains a message of the inbox; returns whether that begins a run. */
    boolean beginRun(@Nullable Pending batch) {
        if (runBatch == batch) {
            return false;
        }
        runBatch = batch;
        return true;
    }

    /** Ends the run that was begun before. */
    void endRun() {
        runBatch = null;
    }

    // --- the record of the session

    /** Size of the record as last written or loaded; 0 for none. */
    public int recordBytes() {
        return recordBytes;
    }

    public void setRecordBytes(int bytes) {
        recordBytes = bytes;
    }

    public void recordWrittenBy(Pending batch) {
        recordIn = batch;
    }

    /** The batch that wrote the record last, while it is pending; what the record owes begins when it is done. */
    public @Nullable Pending recordUnderWay() {
        Pending batch = recordIn;
        if (batch != null && batch.isDone()) {
            recordIn = null;
            return null;
        }
        return batch;
    }

    // --- progress

    /** Whether the ledger has finished or received marks that are not written. */
    public boolean isDirty() {
        return isDirty;
    }

    public void setDirty(boolean dirty) {
        isDirty = dirty;
    }

    /** Asks the batch to write the progress; returns false if it was the last one asked. */
    boolean wantProgress(Pending batch) {
        if (progressWantedBy == batch) {
            return false;
        }
        progressWantedBy = batch;
        return true;
    }

    boolean isProgressWantedBy(Pending batch) {
        return progressWantedBy == batch;
    }

    /** The first batch that may write the progress, because the session begins in it. */
    long progressNotBefore() {
        return progressNotBefore;
    }

    public void setProgressNotBefore(long batchId) {
        progressNotBefore = batchId;
    }
}
