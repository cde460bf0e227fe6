package io.godwit.broker.plugin;

import java.util.function.LongSupplier;

/**
 * Keeps calls from a plugin or a service that does not answer: open after many failures, then one call at a time on
 * trial, the pauses between trials ever longer. While it is closed a call costs a volatile read. Needs the JDK alone.
 * Thread-safe.
 */
public final class CircuitBreaker {
    public enum State {
        /** All calls are made. */
        CLOSED,
        /** None is. */
        OPEN,
        /** One is under way, and none beside it. */
        HALF_OPEN
    }

    /** Whether a call is made. */
    public enum Permit {
        NO,
        YES,
        /** What comes of it decides how it goes on. */
        TRIAL
    }

    private static final long WINDOW_NANOS = 30_000_000_000L;
    /** Before its first failure a window has the calls of so long. */
    private static final long BEFORE_NANOS = 10_000_000_000L;

    static final long FIRST_PAUSE_NANOS = 5_000_000_000L;
    private static final long LONGEST_PAUSE_NANOS = 60_000_000_000L;

    private final LongSupplier nanoClock;
    private final int leastFailures;
    private final LongSupplier calls;
    private final Runnable onChange;

    /** Volatile for {@link #ask}; else guarded by this, as all that follows. Contended while calls fail only. */
    private volatile State state = State.CLOSED;

    private long windowBeganNanos;
    private long callsAtBegin;
    private int failures;
    private long pauseNanos = FIRST_PAUSE_NANOS;
    private long openedNanos;

    /**
     * @param leastFailures within half a minute, which open it when they are half of the calls in that time and in the
     *     ten seconds before it: of many calls a few may fail at once, as when one client makes a service slow
     * @param calls how many have ended, ever
     * @param onChange told of each new state, on the thread that brought it about; must not call back
     */
    public CircuitBreaker(LongSupplier nanoClock, int leastFailures, LongSupplier calls, Runnable onChange) {
        this.nanoClock = nanoClock;
        this.leastFailures = leastFailures;
        this.calls = calls;
        this.onChange = onChange;
        this.windowBeganNanos = nanoClock.getAsLong();
    }

    public State state() {
        return state;
    }

    /** Whether a call may be made; who gets another answer than no tells what came of it, once. */
    public Permit ask() {
        return state == State.CLOSED ? Permit.YES : askLater();
    }

    private synchronized Permit askLater() {
        if (state == State.CLOSED) {
            return Permit.YES;
        }
        if (state == State.HALF_OPEN || nanoClock.getAsLong() - openedNanos < pauseNanos) {
            return Permit.NO;
        }
        become(State.HALF_OPEN);
        return Permit.TRIAL;
    }

    public void succeeded(Permit permit) {
        if (permit == Permit.TRIAL) {
            close();
        }
    }

    private synchronized void close() {
        pauseNanos = FIRST_PAUSE_NANOS;
        failures = 0;
        callsAtBegin = calls.getAsLong();
        windowBeganNanos = nanoClock.getAsLong();
        become(State.CLOSED);
    }

    /** @return whether it has opened by this */
    public synchronized boolean failed(Permit permit) {
        long now = nanoClock.getAsLong();
        if (permit == Permit.TRIAL) {
            pauseNanos = Math.min(LONGEST_PAUSE_NANOS, pauseNanos * 2);
            openedNanos = now;
            become(State.OPEN);
            return false;
        }
        if (state != State.CLOSED) {
            return false; // begun before it opened
        }
        if (now - windowBeganNanos > WINDOW_NANOS) {
            long ended = calls.getAsLong();
            double share = BEFORE_NANOS / (double) (now - windowBeganNanos);
            callsAtBegin = ended - (long) (share * (ended - callsAtBegin)); // at the rate of the window before
            windowBeganNanos = now;
            failures = 0;
        }
        failures++;
        if (failures < leastFailures || failures * 2L < calls.getAsLong() - callsAtBegin) {
            return false;
        }
        openedNanos = now;
        become(State.OPEN);
        return true;
    }

    private void become(State next) {
        state = next;
        onChange.run();
    }
}
