package io.godwit.perf.load.measure;

import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * The clock of a run: {@link System#nanoTime} for measuring, and its conversion to nanoseconds since 1970 for payloads
 * that another process reads. The two clocks are compared only once, so that a step of the wall clock has no effect.
 */
public final class Time {
    @SuppressWarnings("TimeInStaticInitializer") // compared once per process, at any time
    private static final long EPOCH_MINUS_NANO_TIME = epochNanos(Instant.now()) - System.nanoTime();

    private Time() {}

    private static long epochNanos(Instant instant) {
        return TimeUnit.SECONDS.toNanos(instant.getEpochSecond()) + instant.getNano();
    }

    public static long nowNanos() {
        return System.nanoTime();
    }

    public static long toEpochNanos(long nanoTime) {
        return nanoTime + EPOCH_MINUS_NANO_TIME;
    }

    public static long fromEpochNanos(long epochNanos) {
        return epochNanos - EPOCH_MINUS_NANO_TIME;
    }
}
