package io.godwit.testing;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets a given time pass. For what takes time by its nature: the pace of a load, the length of a fault, an interval
 * that is measured, a time that the protocol counts in seconds. The build refuses it in a file that
 * {@code .ci/checkstyle-sleeps.xml} does not name with its reason. Whoever waits for something uses {@link Await}.
 */
public final class Pace {
    private Pace() {}

    public static void pass(Duration time) {
        passNanos(time.toNanos());
    }

    public static void passMillis(long millis) {
        passNanos(millis * 1_000_000);
    }

    public static void passNanos(long nanos) {
        until(System.nanoTime() + nanos);
    }

    /** Until {@link System#nanoTime} is there; earlier when the thread is interrupted. */
    public static void until(long nanoTime) {
        long left;
        while ((left = nanoTime - System.nanoTime()) > 0
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(left);
        }
    }
}
