package io.godwit.inbox.ledger;

import io.godwit.inbox.format.Progress;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.report.Stock;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The unfinished messages of one inbox in sequence order, without their contents: what the leader needs to assign
 * packet ids, to count against the limit, to write which messages are finished, and to report the topics of dropped
 * messages. Costs fourteen bytes per message, its topic ({@link SharedTopics}), and four more where a {@link Stock} is
 * kept ({@link PayloadSizes}). Owned by the range leader.
 *
 * <p>Ordinals identify entries. The ordinal of an entry changes only in {@link #compact}, which also moves
 * {@link #cursor} and {@link #sentEnd}; both lie between head and tail. Deliveries go in order, so the sent messages
 * are a prefix.
 *
 * <p>A finished entry at the front leaves at once; one behind an unfinished entry stays as a hole until the front
 * moves.
 */
public final class Ledger {
    private static final int QOS_MASK = 3;
    /**
     * The first message of its run in the store. The mark may be missing: then {@link #floor} is lower than necessary,
     * never higher.
     */
    private static final int RUN_START = 4;

    private static final int RECEIVED = 8;
    private static final int FINISHED = 16;
    private static final int APART = 32;
    private static final int GROUP = 64;

    private static final int FIRST_CAPACITY = 8;
    private static final int COMPACT_FROM = 1024;
    /** Number of large messages whose size is read when an inbox is loaded. */
    public static final int APART_SAMPLE = PayloadSizes.APART_SAMPLE;

    public static final int UNKNOWN = PayloadSizes.UNKNOWN;

    private final long first;
    private long[] sequences = new long[FIRST_CAPACITY];
    private byte[] flags = new byte[FIRST_CAPACITY];
    /** Null at finished entries, and outside of head and tail. */
    private @Nullable String[] topics = new @Nullable String[FIRST_CAPACITY];
    /** Null when they are not needed. */
    private @Nullable PayloadSizes sizes;

    private long headOrdinal;
    private int size;
    private int holes;

    private long cursor;
    private long sentEnd;

    private int liveQueued;
    private int liveQos0;
    private int sentLive;
    private int unapplied;
    private int receivedCount;

    private long horizon;
    private long runBase;
    private long floor;
    private int passedRuns;
    private boolean passedApart;

    /** @param first lowest sequence of the session; stored messages below it belong to earlier sessions */
    public Ledger(long first) {
        this.first = first;
        this.floor = first;
        this.runBase = first;
        this.horizon = first;
    }

    /** A ledger that knows the sizes of its messages, to be counted in a stock ({@link #joinStock}). */
    public static Ledger withSizes(long first) {
        Ledger ledger = new Ledger(first);
        ledger.sizes = new PayloadSizes(FIRST_CAPACITY);
        return ledger;
    }

    public long first() {
        return first;
    }

    // --- entries

    /**
     * Appends a message.
     *
     * @param sequence greater than all before it
     * @param isOfGroup whether the session was chosen for it as a member of a shared group
     * @param payloadBytes {@link #UNKNOWN} to {@link #guessUnknown guess} it later
     */
    public void append(long sequence, int qos, boolean apart, String topic, boolean isOfGroup, int payloadBytes) {
        if (size == sequences.length) {
            grow();
        }
        int slot = slot(headOrdinal + size);
        sequences[slot] = sequence;
        flags[slot] = (byte) (qos | (apart ? APART : 0) | (isOfGroup ? GROUP : 0));
        topics[slot] = topic;
        if (sizes != null) {
            sizes.append(slot, payloadBytes);
        }
        size++;
        if (qos == 0) {
            liveQos0++;
        } else {
            liveQueued++;
        }
    }

    /** Entries that fit without growing. */
    public int capacity() {
        return sequences.length;
    }

    public long headOrdinal() {
        return headOrdinal;
    }

    /** One past the last ordinal. */
    public long tailOrdinal() {
        return headOrdinal + size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public long sequenceAt(long ordinal) {
        return sequences[slot(ordinal)];
    }

    /** 0 when the ledger is empty. */
    public long lastSequence() {
        return isEmpty() ? 0 : sequenceAt(tailOrdinal() - 1);
    }

    public int qosAt(long ordinal) {
        return flags[slot(ordinal)] & QOS_MASK;
    }

    /** Topic of an unfinished message. */
    public String topicAt(long ordinal) {
        return Objects.requireNonNull(topics[slot(ordinal)], "finished");
    }

    public boolean isFinishedAt(long ordinal) {
        return (flags[slot(ordinal)] & FINISHED) != 0;
    }

    public boolean isReceivedAt(long ordinal) {
        return (flags[slot(ordinal)] & RECEIVED) != 0;
    }

    public boolean isOfGroupAt(long ordinal) {
        return (flags[slot(ordinal)] & GROUP) != 0;
    }

    /** The ordinal of an unfinished message, -1 when there is none with that sequence. */
    public long find(long sequence) {
        if (size == 0) {
            return -1;
        }
        // sequences are nearly always consecutive
        long guess = sequence - sequences[slot(headOrdinal)];
        if (guess >= 0 && guess < size && sequences[slot(headOrdinal + guess)] == sequence) {
            return isFinishedAt(headOrdinal + guess) ? -1 : headOrdinal + guess;
        }
        int low = 0;
        int high = size - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            long here = sequences[slot(headOrdinal + middle)];
            if (here == sequence) {
                return isFinishedAt(headOrdinal + middle) ? -1 : headOrdinal + middle;
            }
            if (here < sequence) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -1;
    }

    /** Whether an unfinished message of the topic has a higher sequence. Searches from the end. */
    boolean hasBehind(long sequence, String topic) {
        for (long ordinal = tailOrdinal() - 1; ordinal >= headOrdinal && sequenceAt(ordinal) > sequence; ordinal--) {
            if (topic.equals(topics[slot(ordinal)])) {
                return true;
            }
        }
        return false;
    }

    /** Unfinished messages of QoS 1 and 2. */
    public int liveQueued() {
        return liveQueued;
    }

    public int liveQos0() {
        return liveQos0;
    }

    public void finish(long ordinal) {
        int slot = slot(ordinal);
        int before = flags[slot];
        if ((before & FINISHED) != 0) {
            return;
        }
        flags[slot] = (byte) (before | FINISHED);
        topics[slot] = null;
        if (sizes != null) {
            sizes.finish(slot);
        }
        horizon = Math.max(horizon, sequences[slot] + 1);
        if ((before & QOS_MASK) == 0) {
            liveQos0--;
        } else {
            liveQueued--;
            if (ordinal < sentEnd) {
                sentLive--;
            }
        }
        if ((before & RECEIVED) != 0) {
            receivedCount--;
        }
        holes++;
        popFinished();
        if (holes >= COMPACT_FROM && holes > size / 2) {
            compact();
        }
    }

    /** QoS 1 and 2 messages whose write is not applied yet. Maintained by the insert that placed them. */
    public int unapplied() {
        return unapplied;
    }

    public void placed() {
        unapplied++;
    }

    public void settled() {
        unapplied--;
    }

    // --- counts for the stock

    public boolean hasSizes() {
        return sizes != null;
    }

    /** Unfinished messages. */
    public int live() {
        return liveQueued + liveQos0;
    }

    /** Payload bytes of the unfinished messages; 0 in a ledger without sizes. */
    public long liveBytes() {
        return sizes == null ? 0 : sizes.liveBytes();
    }

    /** Reports each change to {@code part} from now on, and the present counts unless {@code isCounted}. */
    public void joinStock(Stock.Part part, InboxId inbox, boolean isCounted) {
        if (sizes != null) {
            sizes.join(part, inbox, live(), isCounted);
        }
    }

    /** Takes its messages out of the counts. */
    public void leaveStock() {
        if (sizes != null) {
            sizes.leave(live());
        }
    }

    /** After loading: sets all unknown sizes to {@code bytes}. */
    public void guessUnknown(int bytes) {
        PayloadSizes known = sizes;
        for (long ordinal = headOrdinal; known != null && ordinal < tailOrdinal(); ordinal++) {
            known.guess(slot(ordinal), bytes);
        }
    }

    /**
     * Payload bytes of all large messages, if some are guesses and another load could guess differently; else -1. A
     * load reads at most {@link #APART_SAMPLE} bodies.
     */
    public long apartToRemember() {
        return sizes == null ? -1 : sizes.apartToRemember(apartSlots());
    }

    /** After loading: spreads {@code bytes}, from {@link #apartToRemember}, over the large messages. */
    public void spreadApart(long bytes) {
        if (sizes != null) {
            sizes.spread(bytes, apartSlots());
        }
    }

    /** The slots of the unfinished large messages, in order. */
    private int[] apartSlots() {
        return LongStream.range(headOrdinal, tailOrdinal())
                .mapToInt(this::slot)
                .filter(slot -> (flags[slot] & (APART | FINISHED)) == APART)
                .toArray();
    }

    // --- what was sent

    /** The next entry to deliver on the present attachment. */
    public long cursor() {
        return cursor;
    }

    /** One past the last entry that may ever have been sent; entries before it are delivered as repetitions. */
    public long sentEnd() {
        return sentEnd;
    }

    /** Unfinished QoS 1 and 2 messages that may have been sent. */
    public int sentLive() {
        return sentLive;
    }

    /** Moves the cursor to the front, for a new attachment. */
    public void rewind() {
        cursor = headOrdinal;
    }

    /** The entry at the cursor was sent, or need not be. */
    public void advance() {
        if (cursor >= sentEnd) {
            int slot = slot(cursor);
            if ((flags[slot] & FINISHED) == 0 && (flags[slot] & QOS_MASK) != 0) {
                sentLive++;
            }
            sentEnd = cursor + 1;
        }
        cursor++;
    }

    /** Greater than the highest sequence that may have been sent; 0 when all of those are finished and gone. */
    public long sentBelow() {
        return sentEnd > headOrdinal ? sequenceAt(sentEnd - 1) + 1 : 0;
    }

    /**
     * No message with this sequence or a higher one was sent. Unlike {@link #sentBelow} it also covers finished
     * messages that are gone, because the store may not know that they are finished.
     */
    public long sentBound() {
        if (sentEnd < tailOrdinal()) {
            return sequenceAt(sentEnd);
        }
        return horizon > first ? Math.max(horizon, sentBelow()) : sentBelow();
    }

    /** After loading: messages below {@code sequence} may have been sent. */
    public void markSentBelow(long sequence) {
        while (sentEnd < tailOrdinal() && sequenceAt(sentEnd) < sequence) {
            if (qosAt(sentEnd) != 0) {
                sentLive++;
            }
            sentEnd++;
        }
    }

    /** Messages from {@code sequence} on were not sent after all. The cursor is invalid until {@link #rewind}. */
    public void unsentFrom(long sequence) {
        while (sentEnd > headOrdinal && sequenceAt(sentEnd - 1) >= sequence) {
            sentEnd--;
            int slot = slot(sentEnd);
            if ((flags[slot] & FINISHED) == 0 && (flags[slot] & QOS_MASK) != 0) {
                sentLive--;
            }
        }
    }

    /**
     * Sequences up to {@code last} of unfinished messages that were certainly not sent, and of unfinished QoS 0
     * messages, which finish when they are sent. Ascending.
     */
    public long[] unsentUpTo(long last) {
        long[] unsent = new long[live()];
        int count = 0;
        for (long ordinal = headOrdinal; ordinal < tailOrdinal() && sequenceAt(ordinal) <= last; ordinal++) {
            boolean mayBeInFlight = qosAt(ordinal) != 0 && (ordinal < sentEnd || isReceivedAt(ordinal));
            if (!isFinishedAt(ordinal) && !mayBeInFlight) {
                unsent[count++] = sequenceAt(ordinal);
            }
        }
        return Arrays.copyOf(unsent, count);
    }

    public void setReceived(long ordinal, boolean received) {
        int slot = slot(ordinal);
        if (((flags[slot] & RECEIVED) != 0) != received) {
            flags[slot] ^= RECEIVED;
            receivedCount += received ? 1 : -1;
        }
    }

    /** Whether an unfinished message before the entry has the same packet id. */
    public boolean isPacketIdBusy(long ordinal) {
        return isNextPacketIdBusy(sequenceAt(ordinal));
    }

    /** The same for a sequence that is not in the ledger yet. */
    public boolean isNextPacketIdBusy(long sequence) {
        long first = size == 0 ? sequence : sequenceAt(headOrdinal);
        for (long same = sequence - OutboundPacketIds.COUNT; same >= first; same -= OutboundPacketIds.COUNT) {
            if (find(same) >= 0) {
                return true;
            }
        }
        return false;
    }

    // --- what is written to the store

    /** The {@link Progress} to write. */
    public Progress progress(long sentBelow) {
        long[] live = new long[0];
        if (size > 0 && sequenceAt(headOrdinal) < horizon) {
            live = new long[size - holes];
            int count = 0;
            for (long ordinal = headOrdinal; ordinal < tailOrdinal() && sequenceAt(ordinal) < horizon; ordinal++) {
                if (!isFinishedAt(ordinal)) {
                    live[count++] = sequenceAt(ordinal);
                }
            }
            live = Arrays.copyOf(live, count);
        }
        long low = Math.min(floor, horizon);
        return new Progress(low, horizon, sentBelow, live, receivedSequences());
    }

    /** Upper bound on the sequences in {@link #progress}, which take a few bytes each. */
    public int listedInProgress() {
        boolean hasGaps = size > 0 && sequenceAt(headOrdinal) < horizon;
        return receivedCount + (hasGaps ? size - holes : 0);
    }

    private long[] receivedSequences() {
        long[] received = new long[receivedCount];
        int count = 0;
        for (long ordinal = headOrdinal; count < received.length; ordinal++) {
            if (isReceivedAt(ordinal) && !isFinishedAt(ordinal)) {
                received[count++] = sequenceAt(ordinal);
            }
        }
        return received;
    }

    /** Marks the message as the first of its run in the store; unmarked messages after it are in the same run. */
    public void markRunStart(long sequence) {
        long ordinal = find(sequence);
        if (ordinal >= 0) {
            flags[slot(ordinal)] |= RUN_START;
            if (ordinal == headOrdinal) {
                floor = Math.max(floor, sequence);
            }
        }
    }

    /** No run that begins below this sequence holds an unfinished message. */
    public long floor() {
        return floor;
    }

    /** Whether so much of the store is below the floor that a range delete is worth its cost. */
    public boolean isTrimDue(int runs) {
        return passedApart || passedRuns >= runs;
    }

    public void trimmed() {
        passedApart = false;
        passedRuns = 0;
    }

    /** Sets the stored positions, after loading and before the entries are appended. */
    public void startAt(long storedFloor, long storedHorizon) {
        floor = Math.max(first, storedFloor);
        runBase = floor;
        horizon = Math.max(first, storedHorizon);
    }

    private void popFinished() {
        long last = -1;
        while (size > 0) {
            int slot = slot(headOrdinal);
            if ((flags[slot] & FINISHED) == 0) {
                break;
            }
            last = sequences[slot];
            if ((flags[slot] & RUN_START) != 0) {
                runBase = last;
                passedRuns++;
            }
            passedApart |= (flags[slot] & APART) != 0;
            headOrdinal++;
            size--;
            holes--;
        }
        if (last < 0) {
            return;
        }
        cursor = Math.max(cursor, headOrdinal);
        sentEnd = Math.max(sentEnd, headOrdinal);
        if (size == 0) {
            floor = last + 1;
            if (sequences.length >= COMPACT_FROM) {
                sequences = new long[FIRST_CAPACITY];
                flags = new byte[FIRST_CAPACITY];
                topics = new @Nullable String[FIRST_CAPACITY];
                if (sizes != null) {
                    sizes.move(new int[FIRST_CAPACITY]);
                }
            }
        } else if ((flags[slot(headOrdinal)] & RUN_START) != 0) {
            floor = Math.max(floor, sequenceAt(headOrdinal));
        } else {
            floor = Math.max(floor, runBase);
        }
    }

    /** Removes the holes. The run marks on them are lost, which keeps the floor lower than necessary. */
    private void compact() {
        long[] keptSequences = new long[sequences.length];
        byte[] keptFlags = new byte[flags.length];
        @Nullable String[] keptTopics = new @Nullable String[topics.length];
        int[] keptSizes = sizes == null ? null : new int[flags.length];
        int kept = 0;
        long newCursor = cursor;
        long newSentEnd = sentEnd;
        for (long ordinal = headOrdinal; ordinal < tailOrdinal(); ordinal++) {
            if (isFinishedAt(ordinal)) {
                passedApart |= (flags[slot(ordinal)] & APART) != 0;
                newCursor -= ordinal < cursor ? 1 : 0;
                newSentEnd -= ordinal < sentEnd ? 1 : 0;
            } else {
                int slot = (int) (headOrdinal + kept) & sequences.length - 1;
                keptSequences[slot] = sequenceAt(ordinal);
                keptFlags[slot] = flags[slot(ordinal)];
                keptTopics[slot] = topics[slot(ordinal)];
                if (sizes != null && keptSizes != null) {
                    keptSizes[slot] = sizes.at(slot(ordinal));
                }
                kept++;
            }
        }
        sequences = keptSequences;
        flags = keptFlags;
        topics = keptTopics;
        if (sizes != null && keptSizes != null) {
            sizes.move(keptSizes);
        }
        cursor = newCursor;
        sentEnd = newSentEnd;
        size = kept;
        holes = 0;
    }

    private void grow() {
        int capacity = sequences.length * 2;
        long[] moreSequences = new long[capacity];
        byte[] moreFlags = new byte[capacity];
        @Nullable String[] moreTopics = new @Nullable String[capacity];
        int[] moreSizes = sizes == null ? null : new int[capacity];
        for (long ordinal = headOrdinal; ordinal < tailOrdinal(); ordinal++) {
            moreSequences[(int) ordinal & capacity - 1] = sequenceAt(ordinal);
            moreFlags[(int) ordinal & capacity - 1] = flags[slot(ordinal)];
            moreTopics[(int) ordinal & capacity - 1] = topics[slot(ordinal)];
            if (sizes != null && moreSizes != null) {
                moreSizes[(int) ordinal & capacity - 1] = sizes.at(slot(ordinal));
            }
        }
        sequences = moreSequences;
        flags = moreFlags;
        topics = moreTopics;
        if (sizes != null && moreSizes != null) {
            sizes.move(moreSizes);
        }
    }

    /** The capacity is a power of two, so the slot of an ordinal stays the same until the capacity changes. */
    private int slot(long ordinal) {
        return (int) ordinal & sequences.length - 1;
    }
}
