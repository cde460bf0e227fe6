package io.godwit.dist.client;

import java.time.Duration;
import java.util.function.LongSupplier;

/** Counts occurrences and lets one log line pass in an interval. Not thread-safe. */
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

    /** Counts one; whether it is time for a line. */
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

    /** What was counted since the last line. */
    public long take() {
        long taken = count;
        count = 0;
        return taken;
    }
}
