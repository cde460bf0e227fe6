package io.godwit.broker.watch;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What one watcher has not taken yet: so many entries, so many bytes, so many entries a second. What does not fit is
 * counted, and costs no more than that. {@link #offer} on any thread, many at once, event loops among them: without
 * locks, so that nobody waits for a thread that was put aside. Taken by one thread at a time.
 */
final class WatchQueue {
    static final int MAX_ENTRIES = 2_000;
    static final int MAX_BYTES = 1 << 19;
    static final int ENTRIES_PER_SECOND = 1_000;
    private static final long NANOS_EACH = 1_000_000_000L / ENTRIES_PER_SECOND;
    /** Entries that may come at once after a pause. */
    private static final long BURST_NANOS = 1_000_000_000L;

    private final LongSupplier nanoClock;
    private final Queue<WatchEntry> entries = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong lost = new AtomicLong();
    /** When the next entry would be due if they came evenly. */
    private final AtomicLong dueNanos;
    /** Whether the taker was told of what is here, and has not found it empty since. */
    private final AtomicBoolean isTold = new AtomicBoolean();

    private volatile Runnable ready = () -> {};

    WatchQueue(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        this.dueNanos = new AtomicLong(nanoClock.getAsLong() - BURST_NANOS);
    }

    /** Who is told, on any thread, that there is something again. */
    void onReady(Runnable task) {
        ready = task;
        if (!entries.isEmpty()) {
            task.run();
        }
    }

    /** @param made asked only when there is room for one more; it must not take long */
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

    /** The oldest; null when there is none, and then {@link #onReady} is told of the next. */
    @Nullable
    WatchEntry poll() {
        WatchEntry entry = entries.poll();
        if (entry == null) {
            isTold.set(false);
            entry = entries.poll(); // one that came in between has told nobody
        }
        if (entry != null) {
            count.decrementAndGet();
            bytes.addAndGet(-entry.bytes());
        }
        return entry;
    }

    /** How many were dropped since it was last asked. */
    long takeLost() {
        return lost.get() == 0 ? 0 : lost.getAndSet(0);
    }
}
