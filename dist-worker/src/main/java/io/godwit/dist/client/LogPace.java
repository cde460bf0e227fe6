package io.godwit.dist.client;

import java.time.Duration;
import java.util.function.LongSupplier;

/** Counts occurrences and allows one log line per interval. Not thread-safe. */
public final class LogPace {
    private final LongSupplier nanoTime;
    private final long intervalNanos;
    private long loggedNanos;
    private boolean hasLogged;
    private long count;

    /** @param nanoTime as {@link System#nanoTime} */
    public LogPace(LongSupplier nanoTime, Duration interval) {
        this.nanoTime = nanoTime;
        this.intervalNanos = interval.toNanos();
    }

    /** Counts one occurrence; returns whether a line is due. */
    public boolean count() {
        count++;
        long now = nanoTime.getAsLong();
        if (hasLogged && now - loggedNanos < intervalNanos) {
            return false;
        }
        hasLogged = true;
        loggedNanos = now;
        return true;
    }

    /** Returns and resets the count since the last line. */
    public long take() {
        long taken = count;
        count = 0;
        return taken;
    }
}
