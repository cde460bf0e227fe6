package io.godwit.kv.raft.snapshot;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Limits the bytes sent per second. Any thread: senders of several snapshots contend for the lock, briefly. */
public final class Bandwidth {
    /** The amount that may be sent at once after a pause, as time. */
    private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final long bytesPerSecond;
    private final LongSupplier nanoTime;
    private long freeAt;

    public Bandwidth(long bytesPerSecond, LongSupplier nanoTime) {
        this.bytesPerSecond = bytesPerSecond;
        this.nanoTime = nanoTime;
        this.freeAt = nanoTime.getAsLong();
    }

    /** Reserves {@code bytes}; returns how long the caller must wait before it sends them, in nanoseconds. */
    synchronized long take(long bytes) {
        long now = nanoTime.getAsLong();
        long start = Math.max(freeAt, now - BURST_NANOS);
        freeAt = start + (long) (bytes * (double) TimeUnit.SECONDS.toNanos(1) / bytesPerSecond);
        return Math.max(0, start - now);
    }
}
