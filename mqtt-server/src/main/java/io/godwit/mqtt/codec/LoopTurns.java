package io.godwit.mqtt.codec;

import java.util.concurrent.TimeUnit;

/**
 * Divides the time of an event loop among channels that have more to handle than fits one turn. All waiting turns
 * together take {@link #ROUND_NANOS}, so that many busy senders do not delay a client with a single message. Confined
 * to the loop.
 */
public final class LoopTurns {
    static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** The shortest turn: each turn costs a timer and a check of the channels. */
    static final long LEAST_NANOS = TimeUnit.MICROSECONDS.toNanos(250);

    private int waiting;

    /** The length of the turn that begins now. */
    long turnNanos() {
        return Math.max(LEAST_NANOS, ROUND_NANOS / (waiting + 1));
    }

    /** A channel has ended its turn and waits for the next one. */
    void onWait() {
        waiting++;
    }

    /** The channel's turn begins, or it no longer waits. */
    void onTurn() {
        waiting--;
    }
}
