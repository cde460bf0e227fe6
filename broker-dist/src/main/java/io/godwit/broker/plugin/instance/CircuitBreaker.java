package io.godwit.broker.plugin.instance;

import java.util.function.LongSupplier;

/**
 * Stops calls to a plugin or a service that does not answer. It opens after many failures; then it permits single trial
 * calls, with growing pauses between them. While it is closed a call costs a volatile read. Depends on the JDK alone.
 * Thread-safe.
 */
public final class CircuitBreaker {
    public enum State {
        /** All calls are made. */
        CLOSED,
        /** No call is made. */
        OPEN,
        /** A trial call is under way, and no other is made. */
        HALF_OPEN
    }

    /** Whether a call may be made. */
    public enum Permit {
        NO,
        YES,
        /** The result of this call decides the next state. */
        TRIAL
    }

    private static final long WINDOW_NANOS = 30_000_000_000L;
    /** A window counts the calls of so many nanoseconds before its first failure, too. */
    private static final long BEFORE_NANOS = 10_000_000_000L;

    static final long FIRST_PAUSE_NANOS = 5_000_000_000L;
    private static final long LONGEST_PAUSE_NANOS = 60_000_000_000L;

    private final LongSupplier nanoClock;
    private final int leastFailures;
    private final LongSupplier calls;
    private final Runnable onChange;

    /** Volatile for {@link #ask}; otherwise guarded by this, like the fields below. Contended only while calls fail. */
    private volatile State state = State.CLOSED;

    private long windowBeganNanos;
    private long callsAtBegin;
    private int failures;
    private long pauseNanos = FIRST_PAUSE_NANOS;
    private long openedNanos;

    /**
     * @param leastFailures how many failures within half a minute open it, if they are also half of the calls in that
     * time and in the ten seconds before it: among many calls a few may fail together, for example when one client
     * slows a service down
     * @param calls the number of all calls that have ended
     * @param onChange called at each change of state, on the thread that caused it; must not call back
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

    /**
     * Whether a call may be made. After any other answer than no, the caller reports the result once, or calls {@link
     * #unused}.
     */
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

    /** The call was not made: the next one may be the trial. */
    public synchronized void unused(Permit permit) {
        if (permit == Permit.TRIAL && state == State.HALF_OPEN) {
            become(State.OPEN);
        }
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

    /** @return whether this failure has opened the breaker */
    public synchronized boolean failed(Permit permit) {
        long now = nanoClock.getAsLong();
        if (permit == Permit.TRIAL) {
            pauseNanos = Math.min(LONGEST_PAUSE_NANOS, pauseNanos * 2);
            openedNanos = now;
            become(State.OPEN);
            return false;
        }
        if (state != State.CLOSED) {
            return false; // the call began before it opened
        }
        if (now - windowBeganNanos > WINDOW_NANOS) {
            long ended = calls.getAsLong();
            double share = BEFORE_NANOS / (double) (now - windowBeganNanos);
            callsAtBegin = ended - (long) (share * (ended - callsAtBegin)); // by the rate of the last window
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
