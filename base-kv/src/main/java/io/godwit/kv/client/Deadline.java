package io.godwit.kv.client;

/**
 * A point in time by which an operation must have ended; retries share one. Compared by {@link System#nanoTime()}.
 *
 * @param nanoTime a value of the {@link System#nanoTime()} clock
 */
public record Deadline(long nanoTime) {

    /** One that passes {@code millis} milliseconds from now. */
    public static Deadline afterMillis(long millis) {
        return new Deadline(System.nanoTime() + millis * 1_000_000);
    }

    /** Whether it has, at a time of the {@link System#nanoTime()} clock. */
    public boolean hasPassed(long nowNanos) {
        return nowNanos - nanoTime >= 0;
    }

    /** Nanoseconds left, 0 when passed. */
    public long remainingNanos(long nowNanos) {
        return Math.max(0, nanoTime - nowNanos);
    }
}
