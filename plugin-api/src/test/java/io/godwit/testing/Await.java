package io.godwit.testing;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Waits for a condition. Instead of sleeping until something has probably happened, a test checks repeatedly whether it
 * has. {@link Pace} is for what takes a given time by its nature.
 *
 * <p>The pause between two checks grows from 0.1 ms to 20 ms, so that a short wait stays short. It is at least as long
 * as the last check took, so that the checked code has half of the time for itself.
 */
public final class Await {
    /** Long, because machines are slow and busy; a passing test never takes this long. */
    public static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final long FIRST_PAUSE_NANOS = 100_000;
    private static final long LAST_PAUSE_NANOS = 20_000_000;

    private final long begun = System.nanoTime();
    private final long patienceNanos;
    private long looked = begun;
    private long pauseNanos = FIRST_PAUSE_NANOS;

    private Await(Duration patience) {
        patienceNanos = patience.toNanos();
    }

    /** @param <E> exception of a check; it ends the wait */
    @FunctionalInterface
    public interface Condition<E extends Exception> {
        boolean holds() throws E;
    }

    /** For a loop that does more than check: it calls {@link #again} after each check that failed. */
    public static Await atMost(Duration patience) {
        return new Await(patience);
    }

    /** Pauses until the next look; false, without a pause, when the patience is over. */
    public boolean again() {
        long now = System.nanoTime();
        if (now - begun > patienceNanos) {
            return false;
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new AssertionError("interrupted"); // as by the time-out of a test
        }
        LockSupport.parkNanos(Math.max(pauseNanos, now - looked));
        pauseNanos = Math.min(2 * pauseNanos, LAST_PAUSE_NANOS);
        looked = System.nanoTime();
        return true;
    }

    /** The same, but fails when the patience is over. */
    public void again(Supplier<String> what) {
        if (!again()) {
            throw new AssertionError("not within " + Duration.ofNanos(patienceNanos) + ": " + what.get());
        }
    }

    /** Fails when the condition does not come to hold. */
    public static <E extends Exception> void until(String what, Condition<E> condition) throws E {
        until(what, PATIENCE, condition);
    }

    public static <E extends Exception> void until(String what, Duration patience, Condition<E> condition) throws E {
        until(() -> what, patience, condition);
    }

    public static <E extends Exception> void until(Supplier<String> what, Duration patience, Condition<E> condition)
            throws E {
        Await looks = atMost(patience);
        while (!condition.holds()) {
            looks.again(what);
        }
    }

    /** Returns whether it came to hold. */
    public static <E extends Exception> boolean comesToHold(Duration patience, Condition<E> condition) throws E {
        Await looks = atMost(patience);
        while (!condition.holds()) {
            if (!looks.again()) {
                return false;
            }
        }
        return true;
    }

    /** Fails when the condition ends to hold meanwhile. */
    public static <E extends Exception> void holds(String what, Duration time, Condition<E> condition) throws E {
        Await looks = atMost(time);
        do {
            if (!condition.holds()) {
                throw new AssertionError("held no longer: " + what);
            }
        } while (looks.again());
    }
}
