package io.godwit.inbox.ledger;

import io.godwit.inbox.format.Progress;

/**
 * How far one attachment may go with messages that were never sent: below a ceiling that the store knows
 * ({@link Progress}). So after a crash the messages at or above it are certainly new to the client; those below are
 * delivered as repetitions [MQTT5-3.3.1-1] and count as sent against the queue's limit. Owned by the range leader.
 *
 * <p>While the client keeps up, the ceiling is raised {@link #KEEPING_UP} sequences ahead in the very mutation that
 * brings a message, so that nothing waits for it. Behind a queue it is raised to what the client's credit reaches, and
 * each time further ahead, up to {@link #MOST_AHEAD}. When the client takes nothing more, it is lowered to what was
 * sent.
 *
 * <p>So the ceiling is exact for a client that has stopped for {@link #STOPPED_MILLIS} and for one that is
 * detached, and at most {@link #MOST_AHEAD} too high for one that works through a queue.
 */
public final class SentCeiling {
    /** A client without credit that was sent nothing for so long has stopped. */
    public static final long STOPPED_MILLIS = 1000;

    static final int KEEPING_UP = 1024;
    public static final int MOST_AHEAD = 256;
    private static final int FIRST_AHEAD = 16;

    /** What the store knows at least: messages below it may be sent. */
    private long stored;
    /** What the last mutation that told it has told; at least {@link #stored}. */
    private long told;
    /** Mutations under way that tell it. */
    private int underWay;

    private int ahead;

    public boolean allows(long sequence) {
        return sequence < stored;
    }

    /** Whether it is time to raise it, for a client that keeps up and is about to be sent {@code sequence}. */
    public boolean isNear(long sequence) {
        return told - sequence < KEEPING_UP / 2;
    }

    /** The same for a client behind a queue that was just sent {@code sequence}. */
    public boolean isNearInQueue(long sequence) {
        return told - sequence < ahead / 2;
    }

    /** Whether it may be lowered to {@code sequence}, and is higher. */
    public boolean canFallTo(long sequence) {
        return told > sequence && underWay == 0;
    }

    /** Whether a mutation under way tells a ceiling that allows it. */
    public boolean isComing(long sequence) {
        return sequence < told && underWay > 0;
    }

    /** It is raised once more while a queue is worked off: from now on it goes further ahead. */
    public void goFurther() {
        ahead = ahead == 0 ? FIRST_AHEAD : Math.min(MOST_AHEAD, ahead * 2);
    }

    /**
     * What a mutation that is being sealed tells the store, with {@code reach} the first sequence that the client's
     * credit does not allow, or the next to be handed out. {@link #stored} or {@link #lost} must follow.
     */
    public long tell(long reach, boolean keepsUp) {
        told = Math.max(told, reach + (keepsUp ? KEEPING_UP : ahead));
        underWay++;
        return told;
    }

    /**
     * As {@link #tell}, for a client that has stopped: nothing from {@code reach} on was sent, and none will be before
     * the ceiling is raised again.
     */
    public long fallTo(long reach) {
        told = reach;
        stored = reach;
        ahead = 0;
        underWay++;
        return told;
    }

    /** The mutation that told {@code ceiling} is applied. */
    public void stored(long ceiling) {
        underWay--;
        stored = Math.max(stored, ceiling);
    }

    /** A mutation that told the ceiling was not applied; the next one tells it again. */
    public void lost() {
        underWay--;
    }

    /**
     * The store takes nothing at all, and deliveries go on: below {@code sequence} the mark of a repetition may be
     * missing after a crash.
     */
    public void allowUnstored(long sequence) {
        told = Math.max(told, sequence);
        stored = Math.max(stored, sequence);
    }
}
