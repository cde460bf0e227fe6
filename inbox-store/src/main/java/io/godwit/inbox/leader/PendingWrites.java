package io.godwit.inbox.leader;

import io.godwit.inbox.ledger.Pending;
import org.jspecify.annotations.Nullable;

/**
 * How far an inbox is ahead of the store: which batches write to it, and what is still to be told. {@link Batch},
 * {@link Writes} and {@link SessionRecords} write it.
 */
final class PendingWrites {
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

    /** The batch writes to it; gives back whether that is new. It is under way until {@link #batchDone}. */
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

    boolean isUnderWay() {
        return batches > 0;
    }

    /** Its place in the table of the batch that is being sealed. */
    int tableIndex() {
        return tableIndex;
    }

    void setTableIndex(int index) {
        tableIndex = index;
    }

    /** The batch that is being sealed has a message of it; gives back whether a run begins with that. */
    boolean beginRun(@Nullable Pending batch) {
        if (runBatch == batch) {
            return false;
        }
        runBatch = batch;
        return true;
    }

    /** A run begun before ends here. */
    void endRun() {
        runBatch = null;
    }

    // --- the record of the session

    /** Of the record as it was written or loaded last; 0 for none. */
    int recordBytes() {
        return recordBytes;
    }

    void setRecordBytes(int bytes) {
        recordBytes = bytes;
    }

    void recordWrittenBy(Pending batch) {
        recordIn = batch;
    }

    /** The batch that wrote the record last, while that is under way; what the record owes is begun when it is done. */
    @Nullable
    Pending recordUnderWay() {
        Pending batch = recordIn;
        if (batch != null && batch.isDone()) {
            recordIn = null;
            return null;
        }
        return batch;
    }

    // --- progress

    /** The ledger has finished or received messages that the store does not know of. */
    boolean isDirty() {
        return isDirty;
    }

    void setDirty(boolean dirty) {
        isDirty = dirty;
    }

    /** The batch is asked to bring the progress along; gives back whether it was not asked last. */
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

    /** Progress may not be written by an earlier batch than this: it speaks of a session begun there. */
    long progressNotBefore() {
        return progressNotBefore;
    }

    void setProgressNotBefore(long batchId) {
        progressNotBefore = batchId;
    }
}
