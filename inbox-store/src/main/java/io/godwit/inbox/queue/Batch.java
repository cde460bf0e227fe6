package io.godwit.inbox.queue;

import io.godwit.kv.client.RangeException;
import io.godwit.kv.coprocessor.Proposal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything the leader wants written next, in order, as one mutation. It stays open until the log takes it: whatever
 * comes in the meantime joins, and the progress of inboxes is added at the last moment, so that acknowledgements cost
 * no entry of their own. Owned by the range leader.
 */
final class Batch extends Proposal {
    /** A batch of this size is closed; the next one begins. */
    static final int FULL_BYTES = 128 * 1024;
    /**
     * So is one that has the store write so much: each inbox gets its own copy of a message that stands in the batch
     * once.
     */
    static final int FULL_WRITTEN_BYTES = 4 << 20;
    /** What an operation counts has room for the prefix of an inbox of this length. */
    private static final int USUAL_PREFIX_BYTES = 48;
    /** At sealing, progress that nobody waits for joins up to this size. */
    static final int MAX_SEALED_BYTES = 2 * FULL_BYTES;

    /** One step of the mutation. */
    interface Operation {
        void encode(ByteWriter out);
    }

    /** Learns what became of the batch; told in the order of joining. */
    interface Waiter {
        void applied();

        void failed(RangeException cause);
    }

    /** For a batch that must go out though nobody waits for it. */
    static final Waiter NOBODY = new Waiter() {
        @Override
        public void applied() {}

        @Override
        public void failed(RangeException cause) {}
    };

    /** The progress of an inbox as this batch writes it. */
    private static final class ProgressWrite {
        final InboxState state;
        /** Whose ceiling it tells; null when nobody is attached. */
        final @Nullable SentCeiling ceiling;

        final long sentBelow;

        ProgressWrite(InboxState state) {
            Attachment attachment = state.attachment;
            this.state = state;
            this.ceiling = attachment == null ? null : attachment.outbox.ceiling();
            this.sentBelow = state.tellSentBelow();
        }

        void stored() {
            if (ceiling != null) {
                ceiling.stored(sentBelow);
            }
        }

        void lost() {
            if (ceiling != null) {
                ceiling.lost();
            }
        }
    }

    /** Ascending in the order of proposal. */
    final long id;

    private final InboxLeader leader;
    private final List<Operation> operations = new ArrayList<>();
    private final List<Waiter> waiters = new ArrayList<>();
    private final List<InboxState> touched = new ArrayList<>();
    /** Inboxes whose progress must be in here, changed or not. */
    private final List<InboxState> wantedProgress = new ArrayList<>(0);

    private final List<ProgressWrite> progressWrites = new ArrayList<>();
    /** Replays of retained messages whose places go along as they stand when it is sealed. */
    private final List<OwedRetained.Replay> replays = new ArrayList<>(0);

    private int bytes = 64;
    /** What its messages take in the store, about. */
    private long writtenBytes;
    /** Copies that may still be taken back; when all are and nothing else is in here, so is the batch. */
    private int copies;

    private boolean onlyCopies = true;
    private boolean isSealed;
    private boolean isDone;

    Batch(InboxLeader leader, long id) {
        this.leader = leader;
        this.id = id;
    }

    boolean isFull() {
        return bytes >= FULL_BYTES || writtenBytes >= FULL_WRITTEN_BYTES;
    }

    /** Whether there is no room, at sealing, for what may as well go with the next one. */
    boolean hasNoRoom() {
        return bytes >= MAX_SEALED_BYTES;
    }

    /** Whether nothing is left in it to be written or waited for. */
    boolean isVoid() {
        return onlyCopies && copies == 0;
    }

    /** It is encoded, or over: nothing in it can be taken back. */
    boolean isSealed() {
        return isSealed || isDone;
    }

    /** Applied, failed or taken back. */
    boolean isDone() {
        return isDone;
    }

    /** Says that it writes to the inbox, which keeps that in memory until it is done. */
    void touch(InboxState state) {
        if (state.lastBatch != this) {
            state.lastBatch = this;
            state.batches++;
            touched.add(state);
            bytes += Math.max(0, state.prefix.length - USUAL_PREFIX_BYTES);
        }
    }

    void insert(Insert insert) {
        operations.add(insert);
        waiters.add(insert);
        bytes += insert.message().heapBytes();
    }

    void copyAdded(PlacedCopy copy) {
        touch(copy.state);
        copies++;
        GroupCopy group = copy.group;
        int ownBytes = 24
                + 5 * copy.subscriptionIds.length
                + (group == null ? 0 : group.filter().length());
        bytes += ownBytes;
        writtenBytes += ownBytes + copy.message.heapBytes();
    }

    void copyTakenBack() {
        copies--;
    }

    void put(InboxState state, byte[] suffix, byte[] value) {
        touch(state);
        onlyCopies = false;
        bytes += value.length + suffix.length + 16;
        operations.add(out -> writePut(out, state, suffix, value));
    }

    /** As {@link #put}, but it is left out when the state has been discarded before the batch is sealed. */
    void putUnlessDiscarded(InboxState state, byte[] suffix, byte[] value) {
        touch(state);
        onlyCopies = false;
        bytes += value.length + suffix.length + 16;
        operations.add(out -> {
            if (!state.discarded) {
                writePut(out, state, suffix, value);
            }
        });
    }

    void delete(InboxState state, byte[] suffix) {
        touch(state);
        onlyCopies = false;
        bytes += suffix.length + 16;
        operations.add(out -> writeDelete(out, state, suffix));
    }

    /** Whose size is told by {@link #grow}. */
    void write(InboxState state, FilterWrite filters) {
        touch(state);
        onlyCopies = false;
        operations.add(filters);
    }

    void grow(int moreBytes) {
        bytes += moreBytes;
    }

    void deleteRange(InboxState state, byte[] first, byte[] end) {
        touch(state);
        onlyCopies = false;
        bytes += first.length + end.length + 16;
        operations.add(out -> writeDeleteRange(out, state, first, end));
    }

    /** Deletes the messages of {@code state} from sequence {@code first} up to, not including, {@code end}. */
    void deleteMessages(InboxState state, long first, long end) {
        deleteRange(state, InboxKeys.suffix(InboxKeys.RUN, first), InboxKeys.suffix(InboxKeys.RUN, end));
        deleteRange(state, InboxKeys.suffix(InboxKeys.BODY, first), InboxKeys.suffix(InboxKeys.BODY, end));
    }

    /**
     * The finished and received marks of the inbox, and how far it may send, go along whether they have changed or not:
     * somebody waits for them.
     */
    void wantProgress(InboxState state) {
        onlyCopies = false;
        if (state.progressWantedBy != this) {
            state.progressWantedBy = this;
            touch(state);
            bytes += progressBytes(state);
            wantedProgress.add(state);
        }
    }

    /** Where the replay stands goes along, once, however often it moves before that. */
    void tell(OwedRetained.Replay replay) {
        onlyCopies = false;
        touch(replay.state());
        bytes += 64 + replay.bytes();
        replays.add(replay);
    }

    List<InboxState> wantedProgress() {
        return wantedProgress;
    }

    void whenDone(Waiter waiter) {
        onlyCopies = false;
        waiters.add(waiter);
    }

    @Override
    public int sizeHint() {
        return bytes;
    }

    /**
     * Marks, records and deletions go on while the disk is nearly full, and many requests share a batch. So what adds
     * messages or subscriptions is refused before it joins ({@link InboxLeader#diskFull}), and the batch is taken for
     * all the others.
     */
    @Override
    public boolean isRelieving() {
        return true;
    }

    @Override
    public byte[] encode() {
        isSealed = true;
        leader.sealing(this);
        ByteWriter out = new ByteWriter(bytes + 32 * touched.size());
        out.u8(MutationCodec.VERSION);
        out.varint(touched.size());
        for (int i = 0; i < touched.size(); i++) {
            InboxState state = touched.get(i);
            state.tableIndex = i;
            out.block(state.prefix);
        }
        for (int i = 0; i < operations.size(); i++) {
            operations.get(i).encode(out);
        }
        for (int i = 0; i < progressWrites.size(); i++) {
            writeProgress(out, progressWrites.get(i));
        }
        for (int i = 0; i < replays.size(); i++) {
            replays.get(i).writeTo(out, this);
        }
        return out.toBytes();
    }

    private static int progressBytes(InboxState state) {
        return 64 + 3 * state.ledger.listedInProgress();
    }

    /** At sealing: the progress of this inbox goes along. */
    void addProgress(InboxState state) {
        touch(state);
        if (state.progressWantedBy != this) {
            bytes += progressBytes(state);
        }
        progressWrites.add(new ProgressWrite(state));
    }

    @Override
    public void applied(byte[] reply) {
        done();
        for (int i = 0; i < progressWrites.size(); i++) {
            ProgressWrite write = progressWrites.get(i);
            write.stored();
            wakeUp(write.state);
        }
        waiters.forEach(Waiter::applied);
        leader.batchDone(touched);
    }

    @Override
    public void failed(RangeException cause) {
        done();
        replays.forEach(replay -> replay.lost(this));
        for (ProgressWrite write : progressWrites) {
            write.lost();
            leader.markDirty(write.state);
        }
        for (InboxState state : wantedProgress) {
            leader.markDirty(state);
            Attachment attachment = state.attachment;
            if (attachment != null) {
                attachment.outbox.ceilingNotRaised(cause);
            }
        }
        waiters.forEach(waiter -> waiter.failed(cause));
        leader.batchDone(touched);
    }

    /** It was void and has been taken back. */
    void dismissed() {
        done();
        leader.batchDone(touched);
    }

    private static void wakeUp(InboxState state) {
        Attachment attachment = state.attachment;
        if (attachment != null) {
            attachment.outbox.ceilingRaised();
        }
    }

    private void done() {
        isDone = true;
        touched.forEach(state -> state.batches--);
    }

    static void writePut(ByteWriter out, InboxState state, byte[] suffix, byte[] value) {
        out.u8(MutationCodec.PUT);
        out.varint(state.tableIndex);
        out.block(suffix);
        out.block(value);
    }

    static void writeDelete(ByteWriter out, InboxState state, byte[] suffix) {
        out.u8(MutationCodec.DELETE);
        out.varint(state.tableIndex);
        out.block(suffix);
    }

    private static void writeDeleteRange(ByteWriter out, InboxState state, byte[] first, byte[] end) {
        state.runBatch = null; // the run begun before it ends here
        out.u8(MutationCodec.DELETE_RANGE);
        out.varint(state.tableIndex);
        out.block(first);
        out.block(end);
    }

    private static void writeProgress(ByteWriter out, ProgressWrite write) {
        InboxState state = write.state;
        Ledger ledger = state.ledger;
        writePut(
                out,
                state,
                InboxKeys.suffix(InboxKeys.PROGRESS),
                ledger.progress(write.sentBelow).encode());
        if (ledger.isTrimDue(InboxLeader.TRIM_RUNS)) {
            ledger.trimmed();
            trim(out, state, InboxKeys.RUN, ledger);
            trim(out, state, InboxKeys.BODY, ledger);
        }
    }

    private static void trim(ByteWriter out, InboxState state, int kind, Ledger ledger) {
        // what an ended session has left may stand before the first
        writeDeleteRange(out, state, InboxKeys.suffix(kind, ledger.first()), InboxKeys.suffix(kind, ledger.floor()));
    }
}
