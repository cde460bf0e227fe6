package io.godwit.inbox.ledger;

import io.godwit.inbox.format.Progress;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.report.Stock;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The unfinished messages of one inbox in sequence order, without the messages: what the leader must know to give out
 * packet ids, to count against the limit, to say what is finished, and to name the topic of what is given up. Fourteen
 * bytes a message, its topic ({@link SharedTopics}), and where a {@link Stock} is kept four more. Owned by the range
 * leader.
 *
 * <p>Entries are named by ordinals that never change while an entry is in here, except by {@link #compact}, which moves
 * {@link #cursor} and {@link #sentEnd} along; both lie between head and tail. Deliveries go in order, so what has been
 * sent is a prefix.
 *
 * <p>A finished entry at the front leaves at once; one behind an unfinished entry stays as a hole until the front
 * moves.
 */
public final class Ledger {
    private static final int QOS_MASK = 3;
    /**
     * The first message of its run in the store. Missing on some: then {@link #floor} is lower than it need be, never
     * higher.
     */
    private static final int RUN_START = 4;

    private static final int RECEIVED = 8;
    private static final int FINISHED = 16;
    private static final int APART = 32;
    private static final int GROUP = 64;

    private static final int FIRST_CAPACITY = 8;
    private static final int COMPACT_FROM = 1024;
    /** So many messages that stand apart are read for their size when an inbox is loaded. */
    public static final int APART_SAMPLE = 8;

    public static final int UNKNOWN = -1;

    private final long first;
    private long[] sequences = new long[FIRST_CAPACITY];
    private byte[] flags = new byte[FIRST_CAPACITY];
    /** Null at entries that are finished, and outside of head and tail. */
    private @Nullable String[] topics = new @Nullable String[FIRST_CAPACITY];
    /** The bytes of payloads; null when nobody asks for them. */
    private int @Nullable [] sizes;

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

    /** Told of each change; null while nobody is. */
    private Stock.@Nullable Part stock;

    /** Whose it is; known with {@link #stock}. */
    private @Nullable InboxId id;

    private long liveBytes;
    /** Sizes of messages that stand apart are guessed. */
    private boolean guesses;

    /**
     * @param first no message of the session has a lower sequence; what the store has of lower ones is not the
     *     session's
     */
    public Ledger(long first) {
        this.first = first;
        this.floor = first;
        this.runBase = first;
        this.horizon = first;
    }

    /** A ledger that knows the sizes of its messages, to be counted when it is told {@link #joinStock where}. */
    public static Ledger withSizes(long first) {
        Ledger ledger = new Ledger(first);
        ledger.sizes = new int[FIRST_CAPACITY];
        return ledger;
    }

    public long first() {
        return first;
    }

    // --- entries

    /**
     * Appends a message.
     *
     * @param sequence above all before it
     * @param isOfGroup whether the session was chosen for it as a member of a shared group
     * @param payloadBytes {@link #UNKNOWN} for one {@link #guessUnknown to be guessed}
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
            sizes[slot] = payloadBytes;
            changeStock(1, Math.max(0, payloadBytes));
        }
        size++;
        if (qos == 0) {
            liveQos0++;
        } else {
            liveQueued++;
        }
    }

    /** Entries that it has memory for. */
    public int capacity() {
        return sequences.length;
    }

    public long headOrdinal() {
        return headOrdinal;
    }

    /** One past the last. */
    public long tailOrdinal() {
        return headOrdinal + size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public long sequenceAt(long ordinal) {
        return sequences[slot(ordinal)];
    }

    /** 0 when it is empty. */
    public long lastSequence() {
        return isEmpty() ? 0 : sequenceAt(tailOrdinal() - 1);
    }

    public int qosAt(long ordinal) {
        return flags[slot(ordinal)] & QOS_MASK;
    }

    /** Of an unfinished message. */
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

    /** The ordinal of an unfinished message, -1 when there is none of that sequence. */
    public long find(long sequence) {
        if (size == 0) {
            return -1;
        }
        // sequences nearly always follow each other without a gap
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

    /** Whether an unfinished message of the topic has a higher sequence. A walk from the end. */
    boolean hasBehind(long sequence, String topic) {
        for (long ordinal = tailOrdinal() - 1; ordinal >= headOrdinal && sequenceAt(ordinal) > sequence; ordinal--) {
            if (topic.equals(topics[slot(ordinal)])) {
                return true;
            }
        }
        return false;
    }

    /** Messages of QoS 1 and 2 that are not finished. */
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
            changeStock(-1, -sizes[slot]);
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

    /** QoS 1 and 2 messages still on their way into the store. Kept by the insert that placed them. */
    public int unapplied() {
        return unapplied;
    }

    public void placed() {
        unapplied++;
    }

    public void settled() {
        unapplied--;
    }

    // --- what it holds, for whoever counts that

    public boolean hasSizes() {
        return sizes != null;
    }

    /** Messages that are not finished. */
    public int live() {
        return liveQueued + liveQos0;
    }

    /** The bytes of their payloads; 0 in a ledger without sizes. */
    public long liveBytes() {
        return liveBytes;
    }

    /** From now on {@code part} is told of each change, and of what there is now unless {@code isCounted}. */
    public void joinStock(Stock.Part part, InboxId inbox, boolean isCounted) {
        stock = part;
        id = inbox;
        if (!isCounted) {
            part.add(inbox, live(), liveBytes);
        }
    }

    /** Its messages do not count any more. */
    public void leaveStock() {
        tellStock(-live(), -liveBytes);
        stock = null;
    }

    private void changeStock(int count, int bytes) {
        liveBytes += bytes;
        tellStock(count, bytes);
    }

    private void tellStock(int count, long bytes) {
        Stock.Part part = stock;
        InboxId inbox = id;
        if (part != null && inbox != null) {
            part.add(inbox, count, bytes);
        }
    }

    /** After loading: messages of unknown size are taken to have {@code bytes}. */
    public void guessUnknown(int bytes) {
        int[] known = sizes;
        for (long ordinal = headOrdinal; known != null && ordinal < tailOrdinal(); ordinal++) {
            int slot = slot(ordinal);
            if (known[slot] == UNKNOWN) {
                known[slot] = bytes;
                liveBytes += bytes;
                guesses = true;
            }
        }
    }

    /**
     * What the messages that stand apart have together, if loading the ledger again would not say the same; else -1.
     * The bodies of no more than {@link #APART_SAMPLE} are read then.
     */
    public long apartToRemember() {
        int[] known = sizes;
        int count = 0;
        long bytes = 0;
        for (long ordinal = headOrdinal; known != null && ordinal < tailOrdinal(); ordinal++) {
            if (isLiveApart(slot(ordinal))) {
                count++;
                bytes += known[slot(ordinal)];
            }
        }
        return count > APART_SAMPLE || count > 0 && guesses ? bytes : -1;
    }

    /** After loading: the messages that stand apart have {@code bytes} together, as {@link #apartToRemember} said. */
    public void spreadApart(long bytes) {
        int[] known = sizes;
        int count = 0;
        for (long ordinal = headOrdinal; ordinal < tailOrdinal(); ordinal++) {
            count += isLiveApart(slot(ordinal)) ? 1 : 0;
        }
        long left = bytes;
        for (long ordinal = headOrdinal; known != null && ordinal < tailOrdinal(); ordinal++) {
            int slot = slot(ordinal);
            if (isLiveApart(slot)) {
                int share = (int) (left / count--);
                liveBytes += share - known[slot];
                known[slot] = share;
                left -= share;
            }
        }
        guesses = true;
    }

    private boolean isLiveApart(int slot) {
        return (flags[slot] & (APART | FINISHED)) == APART;
    }

    // --- what has been sent

    /** The next entry to deliver on the present attachment. */
    public long cursor() {
        return cursor;
    }

    /** One past the last entry that may ever have been sent: what stands before it is delivered as a repetition. */
    public long sentEnd() {
        return sentEnd;
    }

    /** QoS 1 and 2 messages that are unfinished and may have been sent. */
    public int sentLive() {
        return sentLive;
    }

    /** A new attachment begins at the front. */
    public void rewind() {
        cursor = headOrdinal;
    }

    /** The entry at the cursor has been sent, or need not be. */
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

    /** Above the highest sequence that may have been sent; 0 when all of those are finished and gone. */
    public long sentBelow() {
        return sentEnd > headOrdinal ? sequenceAt(sentEnd - 1) + 1 : 0;
    }

    /**
     * No message of this sequence or a higher one has been sent. Unlike {@link #sentBelow} it tells of those that are
     * finished and gone, too: the store may not know that they are.
     */
    public long sentBound() {
        if (sentEnd < tailOrdinal()) {
            return sequenceAt(sentEnd);
        }
        return horizon > first ? Math.max(horizon, sentBelow()) : sentBelow();
    }

    /** After loading: what has a sequence below {@code sequence} may have been sent. */
    public void markSentBelow(long sequence) {
        while (sentEnd < tailOrdinal() && sequenceAt(sentEnd) < sequence) {
            if (qosAt(sentEnd) != 0) {
                sentLive++;
            }
            sentEnd++;
        }
    }

    /**
     * What has a sequence of {@code sequence} or above has not been sent after all. The cursor is of no use until
     * {@link #rewind}.
     */
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
     * Sequences up to {@code last} of unfinished messages that have certainly not been sent; and those of QoS 0, which
     * are finished when they are sent. Ascending.
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

    /** Whether an unfinished message before it has the same packet id. */
    public boolean isPacketIdBusy(long ordinal) {
        return isNextPacketIdBusy(sequenceAt(ordinal));
    }

    /** The same for a sequence not in here yet. */
    public boolean isNextPacketIdBusy(long sequence) {
        long first = size == 0 ? sequence : sequenceAt(headOrdinal);
        for (long same = sequence - PacketIds.COUNT; same >= first; same -= PacketIds.COUNT) {
            if (find(same) >= 0) {
                return true;
            }
        }
        return false;
    }

    // --- what the store is told

    /** See {@link Progress}. */
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

    /** At most so many sequences are in {@link #progress}, each with a few bytes. */
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

    /** The message begins a run of the store; those behind it up to the next such mark are in the same run. */
    public void markRunStart(long sequence) {
        long ordinal = find(sequence);
        if (ordinal >= 0) {
            flags[slot(ordinal)] |= RUN_START;
            if (ordinal == headOrdinal) {
                floor = Math.max(floor, sequence);
            }
        }
    }

    /** No run that begins below it holds an unfinished message. */
    public long floor() {
        return floor;
    }

    /** Whether so much of the store lies below the floor that a range delete pays. */
    public boolean isTrimDue(int runs) {
        return passedApart || passedRuns >= runs;
    }

    public void trimmed() {
        passedApart = false;
        passedRuns = 0;
    }

    /** After loading, before the entries are appended. */
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
                sizes = sizes == null ? null : new int[FIRST_CAPACITY];
            }
        } else if ((flags[slot(headOrdinal)] & RUN_START) != 0) {
            floor = Math.max(floor, sequenceAt(headOrdinal));
        } else {
            floor = Math.max(floor, runBase);
        }
    }

    /** Takes the holes out; the run marks on them are lost, which keeps the floor low. */
    private void compact() {
        long[] keptSequences = new long[sequences.length];
        byte[] keptFlags = new byte[flags.length];
        @Nullable String[] keptTopics = new @Nullable String[topics.length];
        int[] keptSizes = sizes == null ? null : new int[sizes.length];
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
                    keptSizes[slot] = sizes[slot(ordinal)];
                }
                kept++;
            }
        }
        sequences = keptSequences;
        flags = keptFlags;
        topics = keptTopics;
        sizes = keptSizes;
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
                moreSizes[(int) ordinal & capacity - 1] = sizes[slot(ordinal)];
            }
        }
        sequences = moreSequences;
        flags = moreFlags;
        topics = moreTopics;
        sizes = moreSizes;
    }

    /** The capacity is a power of two, so an ordinal names the same slot for as long as the capacity stays. */
    private int slot(long ordinal) {
        return (int) ordinal & sequences.length - 1;
    }
}
