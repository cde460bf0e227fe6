package io.godwit.kv.raft.snapshot;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Shares out a number of bytes a second. Any thread: senders of several snapshots contend for it, for the time of an
 * addition.
 */
public final class Bandwidth {
    /** What may go at once after a pause. */
    private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final long bytesPerSecond;
    private final LongSupplier nanoTime;
    private long freeAt;

    public Bandwidth(long bytesPerSecond, LongSupplier nanoTime) {
        this.bytesPerSecond = bytesPerSecond;
        this.nanoTime = nanoTime;
        this.freeAt = nanoTime.getAsLong();
    }

    /** Takes {@code bytes}, and returns how long to wait before sending them, in nanoseconds. */
    synchronized long take(long bytes) {
        long now = nanoTime.getAsLong();
        long start = Math.max(freeAt, now - BURST_NANOS);
        freeAt = start + (long) (bytes * (double) TimeUnit.SECONDS.toNanos(1) / bytesPerSecond);
        return Math.max(0, start - now);
    }
}
