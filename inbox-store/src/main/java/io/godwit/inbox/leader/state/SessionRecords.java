package io.godwit.inbox.leader.state;

import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.format.SessionRecord;
import io.godwit.inbox.leader.queue.Batch;
import io.godwit.inbox.leader.queue.Writes;
import io.godwit.inbox.ledger.Pending;
import io.godwit.inbox.ledger.SequenceAllocator;
import io.godwit.inbox.local.StoredInboxes;
import io.godwit.inbox.report.RecordCount;

/** Writes the records of sessions. Owned by the range leader. */
public final class SessionRecords {
    private final Writes writes;
    private final RecordCount.Part recordCount;
    private final StoredInboxes.Part storedInboxes;

    public SessionRecords(Writes writes, RecordCount.Part recordCount, StoredInboxes.Part storedInboxes) {
        this.writes = writes;
        this.recordCount = recordCount;
        this.storedInboxes = storedInboxes;
    }

    /** Writes the present record with the open batch. */
    public void write(InboxState state) {
        Batch batch = writes.openBatch();
        state.writes.recordWrittenBy(batch);
        if (state.hasNothing()) {
            recordCount.deleted(state.id);
            state.writes.setRecordBytes(0);
            batch.delete(state, InboxKeys.suffix(InboxKeys.SESSION));
            batch.delete(state, InboxKeys.suffix(InboxKeys.CEILING));
            // the next session stores a new ceiling
            state.queue.setSequences(
                    new SequenceAllocator(state.queue.sequences().peek(), 0));
        } else {
            recordCount.written(state.id);
            storedInboxes.written(state.prefix);
            SessionRecord record = new SessionRecord(state.session(), state.owed(), state.ended());
            byte[] encoded = record.encode();
            state.writes.setRecordBytes(encoded.length);
            batch.put(state, InboxKeys.suffix(InboxKeys.SESSION), encoded);
        }
    }

    /** Calls the waiter when the latest record is stored. */
    public static void whenRecorded(InboxState state, Pending.Waiter waiter) {
        Pending last = state.writes.recordUnderWay();
        if (last == null) {
            waiter.applied();
        } else {
            last.whenDone(waiter);
        }
    }
}
