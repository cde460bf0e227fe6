package io.godwit.inbox.leader;

import io.godwit.inbox.format.ByteWriter;
import io.godwit.inbox.format.GroupCopy;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.format.MutationCodec;
import io.godwit.inbox.ledger.Ledger;
import io.godwit.inbox.ledger.Pending;
import io.godwit.inbox.ledger.SentCeiling;
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
final class Batch extends Proposal implements Pending, Inbox.Sealing {
    /** A batch of this size is closed; the next one begins. */
    static final int FULL_BYTES = 128 * 1024;
    /**
     * So is one that has the store write so much: each inbox gets its own copy of a message that stands in the batch
     * once.
     */
    static final int FULL_WRITTEN_BYTES = 4 << 20;
    /** What an operation counts has room for the prefix of an inbox of this length. */
    private static final int USUAL_PREFIX_BYTES = 48;
    /** Runs below the floor that make a range delete worth it. */
    static final int TRIM_RUNS = 64;

    /** At sealing, progress that nobody waits for joins up to this size. */
    static final int MAX_SEALED_BYTES = 2 * FULL_BYTES;

    /** One step of the mutation. */
    interface Operation {
        void encode(ByteWriter out);
    }

    /** Whoever has begun the batch. */
    interface Owner {
        /** The log takes the batch: what goes along with it is added now. */
        void sealing(Batch batch);

        /** Nobody knows whether a batch was applied: another leader is to follow. */
        void leadershipEnds();

        /** The progress of the inbox was to be in a batch that failed. */
        void markDirty(Inbox inbox);

        /** The batch is done, which wrote to these. */
        void done(List<Inbox> touched);
    }

    /** For a batch that must go out though nobody waits for it. */
    static final Pending.Waiter NOBODY = new Pending.Waiter() {
        @Override
        public void applied() {}

        @Override
        public void failed(RangeException cause) {}
    };

    /** The progress of an inbox as this batch writes it. */
    private static final class ProgressWrite {
        final Inbox state;
        /** Whose ceiling it tells; null when nobody is attached. */
        final @Nullable SentCeiling ceiling;

        final long sentBelow;

        ProgressWrite(Inbox state) {
            Connected connection = state.connection();
            this.state = state;
            this.ceiling = connection == null ? null : connection.sender().ceiling();
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

    private final Owner owner;
    private final List<Operation> operations = new ArrayList<>();
    private final List<Pending.Waiter> waiters = new ArrayList<>();
    private final List<Inbox> touched = new ArrayList<>();
    /** Inboxes whose progress must be in here, changed or not. */
    private final List<Inbox> wantedProgress = new ArrayList<>(0);

    private final List<ProgressWrite> progressWrites = new ArrayList<>();
    /** Replays of retained messages whose places go along as they stand when it is sealed. */
    private final List<Inbox.Place> replays = new ArrayList<>(0);

    private int bytes = 64;
    /** What its messages take in the store, about. */
    private long writtenBytes;
    /** Copies that may still be taken back; when all are and nothing else is in here, so is the batch. */
    private int copies;

    private boolean onlyCopies = true;
    private boolean isSealed;
    private boolean isDone;

    Batch(Owner owner, long id) {
        this.owner = owner;
        this.id = id;
    }

    @Override
    public long id() {
        return id;
    }

    boolean isFull() {
        return bytes >= FULL_BYTES || writtenBytes >= FULL_WRITTEN_BYTES;
    }

    /** Whether there is no room, at sealing, for what may as well go with the next one. */
    @Override
    public boolean hasNoRoom() {
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

    @Override
    public boolean isDone() {
        return isDone;
    }

    /** Says that it writes to the inbox, which keeps that in memory until it is done. */
    void touch(Inbox state) {
        if (state.writes.join(this)) {
            touched.add(state);
            bytes += Math.max(0, state.prefix.length - USUAL_PREFIX_BYTES);
        }
    }

    /** @param messageBytes heap of the message that it inserts */
    void insert(Operation insert, Pending.Waiter waiter, int messageBytes) {
        operations.add(insert);
        waiters.add(waiter);
        bytes += messageBytes;
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

    void put(Inbox state, byte[] suffix, byte[] value) {
        touch(state);
        onlyCopies = false;
        bytes += value.length + suffix.length + 16;
        operations.add(out -> writePut(out, state, suffix, value));
    }

    /** As {@link #put}, but it is left out when the state has been discarded before the batch is sealed. */
    void putUnlessDiscarded(Inbox state, byte[] suffix, byte[] value) {
        touch(state);
        onlyCopies = false;
        bytes += value.length + suffix.length + 16;
        operations.add(out -> {
            if (!state.residency.isDiscarded()) {
                writePut(out, state, suffix, value);
            }
        });
    }

    void delete(Inbox state, byte[] suffix) {
        touch(state);
        onlyCopies = false;
        bytes += suffix.length + 16;
        operations.add(out -> writeDelete(out, state, suffix));
    }

    /** Whose size is told by {@link #grow}. */
    void write(Inbox state, Operation filters) {
        touch(state);
        onlyCopies = false;
        operations.add(filters);
    }

    void grow(int moreBytes) {
        bytes += moreBytes;
    }

    void deleteRange(Inbox state, byte[] first, byte[] end) {
        touch(state);
        onlyCopies = false;
        bytes += first.length + end.length + 16;
        operations.add(out -> writeDeleteRange(out, state, first, end));
    }

    /** Deletes the messages of {@code state} from sequence {@code first} up to, not including, {@code end}. */
    void deleteMessages(Inbox state, long first, long end) {
        deleteRange(state, InboxKeys.suffix(InboxKeys.RUN, first), InboxKeys.suffix(InboxKeys.RUN, end));
        deleteRange(state, InboxKeys.suffix(InboxKeys.BODY, first), InboxKeys.suffix(InboxKeys.BODY, end));
    }

    /**
     * The finished and received marks of the inbox, and how far it may send, go along whether they have changed or not:
     * somebody waits for them.
     */
    void wantProgress(Inbox state) {
        onlyCopies = false;
        if (state.writes.wantProgress(this)) {
            touch(state);
            bytes += progressBytes(state);
            wantedProgress.add(state);
        }
    }

    /** Where the replay stands goes along, once, however often it moves before that. */
    @Override
    public void tell(Inbox.Place replay) {
        onlyCopies = false;
        touch(replay.inbox());
        bytes += 64 + replay.bytes();
        replays.add(replay);
    }

    List<Inbox> wantedProgress() {
        return wantedProgress;
    }

    @Override
    public void whenDone(Pending.Waiter waiter) {
        onlyCopies = false;
        waiters.add(waiter);
    }

    @Override
    public int sizeHint() {
        return bytes;
    }

    /**
     * Marks, records and deletions go on while the disk is nearly full, and many requests share a batch. So what adds
     * messages or subscriptions is refused before it joins ({@link Writes#diskFull}), and the batch is taken for
     * all the others.
     */
    @Override
    public boolean isRelieving() {
        return true;
    }

    @Override
    public byte[] encode() {
        isSealed = true;
        owner.sealing(this);
        ByteWriter out = new ByteWriter(bytes + 32 * touched.size());
        out.u8(MutationCodec.VERSION);
        out.varint(touched.size());
        for (int i = 0; i < touched.size(); i++) {
            Inbox state = touched.get(i);
            state.writes.setTableIndex(i);
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

    private static int progressBytes(Inbox state) {
        return 64 + 3 * state.queue.ledger().listedInProgress();
    }

    /** At sealing: the progress of this inbox goes along. */
    void addProgress(Inbox state) {
        touch(state);
        if (!state.writes.isProgressWantedBy(this)) {
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
        waiters.forEach(Pending.Waiter::applied);
        owner.done(touched);
    }

    /** The store has not taken it, or nobody knows ({@code TIMEOUT}): the leadership ended before it was applied. */
    @Override
    public void failed(RangeException told) {
        RangeException cause = told;
        if (told.reason() == RangeException.Cause.TIMEOUT) {
            owner.leadershipEnds();
            cause = new RangeException(RangeException.Cause.LOST, told.detail());
        }
        done();
        replays.forEach(replay -> replay.lost(this));
        for (ProgressWrite write : progressWrites) {
            write.lost();
            owner.markDirty(write.state);
        }
        for (Inbox state : wantedProgress) {
            owner.markDirty(state);
            Connected connection = state.connection();
            if (connection != null) {
                connection.sender().ceilingNotRaised(cause);
            }
        }
        for (Pending.Waiter waiter : waiters) {
            waiter.failed(cause);
        }
        owner.done(touched);
    }

    /** It was void and has been taken back. */
    void dismissed() {
        done();
        owner.done(touched);
    }

    private static void wakeUp(Inbox state) {
        Connected connection = state.connection();
        if (connection != null) {
            connection.sender().ceilingRaised();
        }
    }

    private void done() {
        isDone = true;
        touched.forEach(state -> state.writes.batchDone());
    }

    static void writePut(ByteWriter out, Inbox state, byte[] suffix, byte[] value) {
        out.u8(MutationCodec.PUT);
        out.varint(state.writes.tableIndex());
        out.block(suffix);
        out.block(value);
    }

    static void writeDelete(ByteWriter out, Inbox state, byte[] suffix) {
        out.u8(MutationCodec.DELETE);
        out.varint(state.writes.tableIndex());
        out.block(suffix);
    }

    private static void writeDeleteRange(ByteWriter out, Inbox state, byte[] first, byte[] end) {
        state.writes.endRun(); // the run begun before it ends here
        out.u8(MutationCodec.DELETE_RANGE);
        out.varint(state.writes.tableIndex());
        out.block(first);
        out.block(end);
    }

    private static void writeProgress(ByteWriter out, ProgressWrite write) {
        Inbox state = write.state;
        Ledger ledger = state.queue.ledger();
        writePut(
                out,
                state,
                InboxKeys.suffix(InboxKeys.PROGRESS),
                ledger.progress(write.sentBelow).encode());
        if (ledger.isTrimDue(TRIM_RUNS)) {
            ledger.trimmed();
            trim(out, state, InboxKeys.RUN, ledger);
            trim(out, state, InboxKeys.BODY, ledger);
        }
    }

    private static void trim(ByteWriter out, Inbox state, int kind, Ledger ledger) {
        // what an ended session has left may stand before the first
        writeDeleteRange(out, state, InboxKeys.suffix(kind, ledger.first()), InboxKeys.suffix(kind, ledger.floor()));
    }
}
