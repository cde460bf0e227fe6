package io.godwit.broker.watch.tap;

import io.godwit.broker.watch.question.WatchEntry;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The unread entries of one watcher, bounded in entries, in bytes and in entries per second. Entries beyond a bound are
 * only counted. {@link #offer} is called by many threads at once, event loops among them, so it takes no lock: no
 * thread ever waits for one that is suspended. One thread at a time reads.
 */
public final class WatchQueue {
    static final int MAX_ENTRIES = 2_000;
    static final int MAX_BYTES = 1 << 19;
    static final int ENTRIES_PER_SECOND = 1_000;
    private static final long NANOS_EACH = 1_000_000_000L / ENTRIES_PER_SECOND;
    /** How long entries may save up for a burst, in nanoseconds. */
    private static final long BURST_NANOS = 1_000_000_000L;

    private final LongSupplier nanoClock;
    private final Queue<WatchEntry> entries = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong lost = new AtomicLong();
    /** When the next entry is due at an even pace. */
    private final AtomicLong dueNanos;
    /** Whether the reader was notified and has not found the queue empty since. */
    private final AtomicBoolean isTold = new AtomicBoolean();

    private volatile Runnable ready = () -> {};

    public WatchQueue(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        this.dueNanos = new AtomicLong(nanoClock.getAsLong() - BURST_NANOS);
    }

    /** Sets the task that is run, on any thread, when there are entries again. */
    public void onReady(Runnable task) {
        ready = task;
        if (!entries.isEmpty()) {
            task.run();
        }
    }

    /** @param made called only if the entry fits; it must be fast */
    void offer(Supplier<WatchEntry> made) {
        if (count.incrementAndGet() > MAX_ENTRIES || bytes.get() >= MAX_BYTES || !isInPace()) {
            count.decrementAndGet();
            lost.incrementAndGet();
            return;
        }
        WatchEntry entry;
        try {
            entry = made.get();
        } catch (RuntimeException e) {
            count.decrementAndGet();
            lost.incrementAndGet();
            throw e;
        }
        bytes.addAndGet(entry.bytes());
        entries.add(entry);
        if (!isTold.get() && isTold.compareAndSet(false, true)) {
            ready.run();
        }
    }

    private boolean isInPace() {
        long now = nanoClock.getAsLong();
        while (true) {
            long due = dueNanos.get();
            long from = Math.max(due - now, -BURST_NANOS) + now;
            if (from - now >= 0) {
                return false;
            }
            if (dueNanos.compareAndSet(due, from + NANOS_EACH)) {
                return true;
            }
        }
    }

    /** The oldest entry. Null if there is none; then the next entry runs the task of {@link #onReady}. */
    @Nullable
    public WatchEntry poll() {
        WatchEntry entry = entries.poll();
        if (entry == null) {
            isTold.set(false);
            entry = entries.poll(); // an entry added just before was not notified
        }
        if (entry != null) {
            count.decrementAndGet();
            bytes.addAndGet(-entry.bytes());
        }
        return entry;
    }

    /** The number of entries dropped since the last call. */
    public long takeLost() {
        return lost.get() == 0 ? 0 : lost.getAndSet(0);
    }
}
