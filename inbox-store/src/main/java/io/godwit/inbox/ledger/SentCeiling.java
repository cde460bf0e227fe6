package io.godwit.inbox.ledger;

import io.godwit.inbox.format.Progress;

/**
 * The ceiling of one attachment: it may send only messages below a sequence that the store has ({@link Progress}). So
 * after a crash the messages at or above the ceiling are certainly new to the client; those below are delivered as
 * repetitions [MQTT5-3.3.1-1] and count as sent against the queue's limit. Owned by the range leader.
 *
 * <p>While the client keeps up, the mutation that brings a message also raises the ceiling {@link #KEEPING_UP}
 * sequences ahead, so that nothing waits for it. For a client behind a queue it is raised to what its credit allows,
 * and each time further ahead, up to {@link #MOST_AHEAD}. When the client stops, it is lowered to what was sent.
 *
 * <p>So the ceiling is exact for a detached client, or one that has stopped for {@link #STOPPED_MILLIS}, and at most
 * {@link #MOST_AHEAD} too high for a client that works through a queue.
 */
public final class SentCeiling {
    /** A client without credit that was sent nothing for this long has stopped. */
    public static final long STOPPED_MILLIS = 1000;

    static final int KEEPING_UP = 1024;
    public static final int MOST_AHEAD = 256;
    private static final int FIRST_AHEAD = 16;

    /** Lower bound on the stored ceiling: messages below it may be sent. */
    private long stored;
    /** The ceiling in the last mutation that carried it; at least {@link #stored}. */
    private long told;
    /** Pending mutations that carry the ceiling. */
    private int underWay;

    private int ahead;

    public boolean allows(long sequence) {
        return sequence < stored;
    }

    /** Whether to raise it now, for a client that keeps up and is about to be sent {@code sequence}. */
    public boolean isNear(long sequence) {
        return told - sequence < KEEPING_UP / 2;
    }

    /** The same for a client behind a queue that was just sent {@code sequence}. */
    public boolean isNearInQueue(long sequence) {
        return told - sequence < ahead / 2;
    }

    /** Whether it is higher than {@code sequence} and may be lowered to it. */
    public boolean canFallTo(long sequence) {
        return told > sequence && underWay == 0;
    }

    /** Whether a pending mutation carries a ceiling that allows it. */
    public boolean isComing(long sequence) {
        return sequence < told && underWay > 0;
    }

    /** The ceiling is raised again while a queue is worked off: the next raise goes further ahead. */
    public void goFurther() {
        ahead = ahead == 0 ? FIRST_AHEAD : Math.min(MOST_AHEAD, ahead * 2);
    }

    /**
     * The ceiling for a mutation that is being sealed. {@link #stored} or {@link #lost} must follow.
     *
     * @param reach the first sequence that the client's credit does not allow, or the next to be handed out
     */
    public long tell(long reach, boolean keepsUp) {
        told = Math.max(told, reach + (keepsUp ? KEEPING_UP : ahead));
        underWay++;
        return told;
    }

    /**
     * As {@link #tell}, for a client that has stopped: nothing from {@code reach} on was sent, and nothing will be
     * before the ceiling is raised again.
     */
    public long fallTo(long reach) {
        told = reach;
        stored = reach;
        ahead = 0;
        underWay++;
        return told;
    }

    /** The mutation that carried {@code ceiling} is applied. */
    public void stored(long ceiling) {
        underWay--;
        stored = Math.max(stored, ceiling);
    }

    /** A mutation that carried the ceiling was not applied; the next one carries it again. */
    public void lost() {
        underWay--;
    }

    /**
     * The store takes no writes, and deliveries continue: after a crash messages below {@code sequence} may lack the
     * mark of a repetition.
     */
    public void allowUnstored(long sequence) {
        told = Math.max(told, sequence);
        stored = Math.max(stored, sequence);
    }
}
