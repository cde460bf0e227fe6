package io.godwit.kv.client;

/**
 * The time by which an operation must have ended; all its retries share it.
 *
 * @param nanoTime a value of the {@link System#nanoTime()} clock
 */
public record Deadline(long nanoTime) {

    /** A deadline {@code millis} milliseconds from now. */
    public static Deadline afterMillis(long millis) {
        return new Deadline(System.nanoTime() + millis * 1_000_000);
    }

    /**
     * Whether the deadline has passed.
     *
     * @param nowNanos a value of the {@link System#nanoTime()} clock
     */
    public boolean hasPassed(long nowNanos) {
        return nowNanos - nanoTime >= 0;
    }

    /** Nanoseconds left; 0 if it has passed. */
    public long remainingNanos(long nowNanos) {
        return Math.max(0, nanoTime - nowNanos);
    }
}
