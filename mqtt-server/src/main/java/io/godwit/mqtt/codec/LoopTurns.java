package io.godwit.mqtt.codec;

import java.util.concurrent.TimeUnit;

/**
 * How the channels of one event loop share its time while they have more to handle than one turn takes. All turns
 * that wait take {@link #ROUND_NANOS} together, so that a client with one message to send does not wait longer because
 * many others send more than can be handled. Confined to the loop.
 */
public final class LoopTurns {
    static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** A turn is at least so long: each costs a timer and a look at the channels. */
    static final long LEAST_NANOS = TimeUnit.MICROSECONDS.toNanos(250);

    private int waiting;

    /** How long the turn that begins now may be. */
    long turnNanos() {
        return Math.max(LEAST_NANOS, ROUND_NANOS / (waiting + 1));
    }

    /** A channel has ended its turn and waits for the next one. */
    void onWait() {
        waiting++;
    }

    /** It waits no more. */
    void onTurn() {
        waiting--;
    }
}
