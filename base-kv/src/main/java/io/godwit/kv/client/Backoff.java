package io.godwit.kv.client;

import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/**
 * How long to wait before what has failed is tried again: a pause that doubles from the first to the last, of which a
 * random part of 50 to 100 % is waited. Many that have failed at one moment, as all sessions of a lost node do, are so
 * spread instead of asking together again each time. Thread-safe as far as the random source is.
 */
public final class Backoff {
    /** The random source of a running node; a test has one of its own. Thread-safe. */
    public static final DoubleSupplier RANDOM =
            () -> ThreadLocalRandom.current().nextDouble();

    private final long first;
    private final long last;
    private final DoubleSupplier random;

    /**
     * @param first the pause after the first failure, at least 1, in any unit of time
     * @param last the longest pause, in the same unit
     * @param random gives numbers from 0 to 1; with 1 the whole pause is waited
     */
    public Backoff(long first, long last, DoubleSupplier random) {
        if (first < 1 || last < first) {
            throw new IllegalArgumentException("pauses must be at least 1 and grow, were " + first + " to " + last);
        }
        this.first = first;
        this.last = last;
        this.random = random;
    }

    /** @param failures in a row, this one included; at least 1 */
    public long pause(int failures) {
        long whole = first;
        for (int i = 1; i < failures && whole < last; i++) {
            whole = whole > last / 2 ? last : 2 * whole;
        }
        long half = whole / 2;
        return whole - (long) ((1 - random.getAsDouble()) * half);
    }
}
