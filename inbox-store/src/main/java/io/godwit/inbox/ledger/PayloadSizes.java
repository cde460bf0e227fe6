package io.godwit.inbox.ledger;

import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.report.Stock;
import org.jspecify.annotations.Nullable;

/**
 * The payload sizes of the messages of one {@link Ledger}, by the slots of its entries, and what the {@link Stock}
 * knows of them. Owned by the range leader.
 *
 * <p>Not all large messages are read when an inbox is loaded: the sizes of the others are guesses.
 */
final class PayloadSizes {
    static final int UNKNOWN = -1;
    /** Number of large messages whose size is read when an inbox is loaded. */
    static final int APART_SAMPLE = 8;

    /** The length is the capacity of the ledger. */
    private int[] sizes;
    /** Of the unfinished messages. */
    private long liveBytes;
    /** Whether sizes of some large messages are guesses. */
    private boolean guesses;
    /** Receives each change of the counts; null for none. */
    private Stock.@Nullable Part stock;

    /** The inbox of the ledger; set together with {@link #stock}. */
    private @Nullable InboxId id;

    PayloadSizes(int capacity) {
        sizes = new int[capacity];
    }

    /** A message was appended; its size may be {@link #UNKNOWN}. */
    void append(int slot, int payloadBytes) {
        sizes[slot] = payloadBytes;
        change(1, Math.max(0, payloadBytes));
    }

    /** The message has finished. Its slot keeps the size until the entry is gone. */
    void finish(int slot) {
        change(-1, -sizes[slot]);
    }

    int at(int slot) {
        return sizes[slot];
    }

    /** The ledger has moved its entries to other slots: {@code moved} has the sizes there. */
    void move(int[] moved) {
        sizes = moved;
    }

    /** Payload bytes of the unfinished messages. */
    long liveBytes() {
        return liveBytes;
    }

    // --- guesses, after loading

    /** Sets the size of the message to {@code bytes} if it is unknown. */
    void guess(int slot, int bytes) {
        if (sizes[slot] == UNKNOWN) {
            sizes[slot] = bytes;
            liveBytes += bytes;
            guesses = true;
        }
    }

    /** As {@link Ledger#apartToRemember}, for the unfinished large messages in {@code slots}. */
    long apartToRemember(int[] slots) {
        long bytes = 0;
        for (int slot : slots) {
            bytes += sizes[slot];
        }
        return slots.length > APART_SAMPLE || slots.length > 0 && guesses ? bytes : -1;
    }

    /** Spreads {@code bytes} over the unfinished large messages, which are in {@code slots}. */
    void spread(long bytes, int[] slots) {
        int count = slots.length;
        long left = bytes;
        for (int slot : slots) {
            int share = (int) (left / count--);
            liveBytes += share - sizes[slot];
            sizes[slot] = share;
            left -= share;
        }
        guesses = true;
    }

    // --- the stock

    /** Reports each change to {@code part} from now on, and the present counts unless {@code isCounted}. */
    void join(Stock.Part part, InboxId inbox, int live, boolean isCounted) {
        stock = part;
        id = inbox;
        if (!isCounted) {
            part.add(inbox, live, liveBytes);
        }
    }

    /** Takes the messages out of the counts. */
    void leave(int live) {
        tell(-live, -liveBytes);
        stock = null;
    }

    private void change(int count, int bytes) {
        liveBytes += bytes;
        tell(count, bytes);
    }

    private void tell(int count, long bytes) {
        Stock.Part part = stock;
        InboxId inbox = id;
        if (part != null && inbox != null) {
            part.add(inbox, count, bytes);
        }
    }
}
