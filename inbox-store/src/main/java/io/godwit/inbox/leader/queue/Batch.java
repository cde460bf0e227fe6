package io.godwit.inbox.leader.queue;

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
 * The leader's next writes, in order, as one mutation. The batch stays open until the log takes it: later writes join
 * it, and the progress of inboxes is added at sealing, so that acknowledgements need no log entry of their own. Owned
 * by the range leader.
 */
public final class Batch extends Proposal implements Pending, Inbox.Sealing {
    /** A batch of this size is closed; the next one begins. */
    public static final int FULL_BYTES = 128 * 1024;
    /**
     * Limit on the bytes that one batch writes to the store: each inbox gets its own copy of a message that is in the
     * batch once.
     */
    public static final int FULL_WRITTEN_BYTES = 4 << 20;
    /** Length of an inbox prefix that the size estimate of an operation already covers. */
    private static final int USUAL_PREFIX_BYTES = 48;
    /** Number of runs below the floor that makes a range delete worth its cost. */
    public static final int TRIM_RUNS = 64;

    /** At sealing, progress without a waiter is added up to this size. */
    public static final int MAX_SEALED_BYTES = 2 * FULL_BYTES;

    /** One operation of the mutation. */
    public interface Operation {
        void encode(ByteWriter out);
    }

    /** The owner of the batch. */
    interface Owner {
        /** The log takes the batch: the owner adds finished marks and progress. */
        void sealing(Batch batch);

        /** It is unknown whether a batch was applied, so another leader must take over. */
        void leadershipEnds();

        /** A batch that was to write the progress of the inbox has failed. */
        void markDirty(Inbox inbox);

        /** The batch is done; {@code touched} are the inboxes it wrote to. */
        void done(List<Inbox> touched);
    }

    /** For a batch that must be written although nobody waits for it. */
    static final Pending.Waiter NOBODY = new Pending.Waiter() {
        @Override
        public void applied() {}

        @Override
        public void failed(RangeException cause) {}
    };

    /** The progress of an inbox as written by this batch. */
    private static final class ProgressWrite {
        final Inbox state;
        /** The ceiling that it carries; null when nobody is attached. */
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
    public final long id;

    private final Owner owner;
    private final List<Operation> operations = new ArrayList<>();
    private final List<Pending.Waiter> waiters = new ArrayList<>();
    private final List<Inbox> touched = new ArrayList<>();
    /** Inboxes whose progress must be in the batch, changed or not. */
    private final List<Inbox> wantedProgress = new ArrayList<>(0);

    private final List<ProgressWrite> progressWrites = new ArrayList<>();
    /** Replays whose positions, as of sealing, are written. */
    private final List<Inbox.Place> replays = new ArrayList<>(0);

    private int bytes = 64;
    /** Approximate bytes that its messages take in the store. */
    private long writtenBytes;
    /** Copies that may still be cancelled. When all are and the batch has nothing else, the batch is cancelled too. */
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

    public boolean isFull() {
        return bytes >= FULL_BYTES || writtenBytes >= FULL_WRITTEN_BYTES;
    }

    /** Whether the batch is too full, at sealing, for writes that can as well go with the next one. */
    @Override
    public boolean hasNoRoom() {
        return bytes >= MAX_SEALED_BYTES;
    }

    /** Whether the batch has nothing left to write and no waiter. */
    boolean isVoid() {
        return onlyCopies && copies == 0;
    }

    /** Whether it is encoded or done: nothing in it can be cancelled. */
    public boolean isSealed() {
        return isSealed || isDone;
    }

    @Override
    public boolean isDone() {
        return isDone;
    }

    /** Registers that the batch writes to the inbox, which then stays in memory until the batch is done. */
    void touch(Inbox state) {
        if (state.writes.join(this)) {
            touched.add(state);
            bytes += Math.max(0, state.prefix.length - USUAL_PREFIX_BYTES);
        }
    }

    /** @param messageBytes heap size of the message that it inserts */
    public void insert(Operation insert, Pending.Waiter waiter, int messageBytes) {
        operations.add(insert);
        waiters.add(waiter);
        bytes += messageBytes;
    }

    public void copyAdded(PlacedCopy copy) {
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

    public void put(Inbox state, byte[] suffix, byte[] value) {
        touch(state);
        onlyCopies = false;
        bytes += value.length + suffix.length + 16;
        operations.add(out -> writePut(out, state, suffix, value));
    }

    /** As {@link #put}, but left out if the state is discarded before the batch is sealed. */
    public void putUnlessDiscarded(Inbox state, byte[] suffix, byte[] value) {
        touch(state);
        onlyCopies = false;
        bytes += value.length + suffix.length + 16;
        operations.add(out -> {
            if (!state.residency.isDiscarded()) {
                writePut(out, state, suffix, value);
            }
        });
    }

    public void delete(Inbox state, byte[] suffix) {
        touch(state);
        onlyCopies = false;
        bytes += suffix.length + 16;
        operations.add(out -> writeDelete(out, state, suffix));
    }

    /** Adds an operation whose size is reported by {@link #grow}. */
    public void write(Inbox state, Operation filters) {
        touch(state);
        onlyCopies = false;
        operations.add(filters);
    }

    public void grow(int moreBytes) {
        bytes += moreBytes;
    }

    public void deleteRange(Inbox state, byte[] first, byte[] end) {
        touch(state);
        onlyCopies = false;
        bytes += first.length + end.length + 16;
        operations.add(out -> writeDeleteRange(out, state, first, end));
    }

    /** Deletes the messages of {@code state} from sequence {@code first} up to, not including, {@code end}. */
    public void deleteMessages(Inbox state, long first, long end) {
        deleteRange(state, InboxKeys.suffix(InboxKeys.RUN, first), InboxKeys.suffix(InboxKeys.RUN, end));
        deleteRange(state, InboxKeys.suffix(InboxKeys.BODY, first), InboxKeys.suffix(InboxKeys.BODY, end));
    }

    /**
     * Writes the finished and received marks of the inbox and its ceiling, changed or not, because a waiter needs them.
     */
    public void wantProgress(Inbox state) {
        onlyCopies = false;
        if (state.writes.wantProgress(this)) {
            touch(state);
            bytes += progressBytes(state);
            wantedProgress.add(state);
        }
    }

    /** Writes the position of the replay as of sealing, once, however often it moves before that. */
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
     * Marks, records and deletions continue while the disk is nearly full, and many requests share a batch. So requests
     * that add messages or subscriptions are refused before they join ({@link Writes#diskFull}), and the batch itself
     * is always accepted.
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

    /** Adds the progress of this inbox at sealing. */
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

    /** The batch was not applied, or that is unknown ({@code TIMEOUT}) because the leadership ended first. */
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

    /** The batch was void and has been cancelled. */
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

    public static void writePut(ByteWriter out, Inbox state, byte[] suffix, byte[] value) {
        out.u8(MutationCodec.PUT);
        out.varint(state.writes.tableIndex());
        out.block(suffix);
        out.block(value);
    }

    public static void writeDelete(ByteWriter out, Inbox state, byte[] suffix) {
        out.u8(MutationCodec.DELETE);
        out.varint(state.writes.tableIndex());
        out.block(suffix);
    }

    private static void writeDeleteRange(ByteWriter out, Inbox state, byte[] first, byte[] end) {
        state.writes.endRun(); // the run before it ends here
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
        // messages left by an ended session may be stored before the first
        writeDeleteRange(out, state, InboxKeys.suffix(kind, ledger.first()), InboxKeys.suffix(kind, ledger.floor()));
    }
}
