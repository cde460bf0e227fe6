package io.godwit.broker.metrics;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Caches a value for half a second, so that all meters of a scrape share it. Thread-safe. */
final class Lately<T> {
    private static final long KEPT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Supplier<T> source;
    private final LongSupplier nanoTime;

    // guarded by this
    private @Nullable T known;
    private long knownNanos;

    /** @param nanoTime the monotonic clock */
    Lately(Supplier<T> source, LongSupplier nanoTime) {
        this.source = source;
        this.nanoTime = nanoTime;
    }

    synchronized T get() {
        long now = nanoTime.getAsLong();
        T value = known;
        if (value == null || now - knownNanos >= KEPT_NANOS) {
            value = source.get();
            known = value;
            knownNanos = now;
        }
        return value;
    }
}
