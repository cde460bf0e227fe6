package io.godwit.kv.client;

import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/**
 * Pauses between retries. A pause doubles with each failure from the first to the last, and a random 50 to 100 % of it
 * is used. So callers that failed at the same moment, such as all sessions of a lost node, do not retry all at once.
 * Thread-safe if the random source is.
 */
public final class Backoff {
    /** The random source of a running node. Thread-safe. */
    public static final DoubleSupplier RANDOM =
            () -> ThreadLocalRandom.current().nextDouble();

    private final long first;
    private final long last;
    private final DoubleSupplier random;

    /**
     * @param first the pause after the first failure, at least 1, in any unit of time
     * @param last the longest pause, in the same unit
     * @param random gives numbers from 0 to 1; with 1 the full pause is used
     */
    public Backoff(long first, long last, DoubleSupplier random) {
        if (first < 1 || last < first) {
            throw new IllegalArgumentException("pauses must be at least 1 and grow, were " + first + " to " + last);
        }
        this.first = first;
        this.last = last;
        this.random = random;
    }

    /** @param failures number of failures in a row, including this one; at least 1 */
    public long pause(int failures) {
        long whole = first;
        for (int i = 1; i < failures && whole < last; i++) {
            whole = whole > last / 2 ? last : 2 * whole;
        }
        long half = whole / 2;
        return whole - (long) ((1 - random.getAsDouble()) * half);
    }
}
