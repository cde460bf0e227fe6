package io.godwit.kv.raft;

import com.alipay.sofa.jraft.core.Scheduler;
import com.alipay.sofa.jraft.util.SPI;
import com.alipay.sofa.jraft.util.timer.DefaultRaftTimerFactory;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * JRaft's timers, with two changes.
 *
 * <p>Long delays end together. A leader of hundreds of idle groups sends a heartbeat to each follower of each; sent one
 * by one, each wakes half a dozen threads on several nodes. So long delays end a little early, at a multiple of
 * {@link #TOGETHER_MILLIS} of the monotonic clock: timers that are due together use threads that are awake, and few
 * writes.
 *
 * <p>Delays have an upper bound, which limits the effect of the wall clock. A leader computes the delay to a follower's
 * next heartbeat, and to the next attempt at one that it could not reach, as the difference of two readings of the wall
 * clock, with a call between them. If the clock were set back by an hour meanwhile, the follower would hear nothing for
 * an hour. JRaft sets no timer on purpose that is longer than {@link #MAX_MILLIS}; one that fires early checks again.
 * All other decisions of JRaft about time use the monotonic clock.
 */
@SPI(name = "godwit", priority = 100)
public final class BoundedTimers extends DefaultRaftTimerFactory {
    static final long MAX_MILLIS = 60_000;
    /**
     * A fraction of {@link #LONG_MILLIS}, the shortest delay that is shortened, so that heartbeats do not become much
     * more frequent.
     */
    static final long TOGETHER_MILLIS = 250;

    private static final long LONG_MILLIS = 1_000;

    @Override
    public Scheduler getRaftScheduler(boolean shared, int workers, String name) {
        return new Bounded(super.getRaftScheduler(shared, workers, name));
    }

    /**
     * Bounds a delay.
     *
     * @return the delay, at most {@link #MAX_MILLIS}; a long one is shortened by less than {@link #TOGETHER_MILLIS}
     */
    static long bounded(long delayMillis, long nowMillis) {
        if (delayMillis < LONG_MILLIS) {
            return delayMillis;
        }
        long due = nowMillis + Math.min(delayMillis, MAX_MILLIS);
        return due - Math.floorMod(due, TOGETHER_MILLIS) - nowMillis;
    }

    /** @param timers runs the tasks */
    record Bounded(Scheduler timers) implements Scheduler {
        @Override
        public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
            long nowMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
            return timers.schedule(command, bounded(unit.toMillis(delay), nowMillis), TimeUnit.MILLISECONDS);
        }

        @Override
        public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long first, long period, TimeUnit unit) {
            return timers.scheduleAtFixedRate(command, first, period, unit);
        }

        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long first, long delay, TimeUnit unit) {
            return timers.scheduleWithFixedDelay(command, first, delay, unit);
        }

        @Override
        public void shutdown() {
            timers.shutdown();
        }
    }
}
