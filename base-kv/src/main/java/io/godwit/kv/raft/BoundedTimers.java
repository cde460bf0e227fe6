package io.godwit.kv.raft;

import com.alipay.sofa.jraft.core.Scheduler;
import com.alipay.sofa.jraft.util.SPI;
import com.alipay.sofa.jraft.util.timer.DefaultRaftTimerFactory;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * JRaft's timers, with two things of ours.
 *
 * <p>They fire together: a leader of hundreds of idle groups has a heartbeat for each follower of each, and one by one
 * each wakes half a dozen threads here and there. So long delays end a little early, at the next even
 * {@link #TOGETHER_MILLIS} of the monotonic clock: what is due then goes through threads that are awake, and leaves in
 * few writes.
 *
 * <p>There is a bound on what the wall clock can do to them. A leader takes the delay to a follower's next heartbeat,
 * and to the next attempt at one that could not be reached, as the difference of two looks at the wall clock, with a
 * call between them: a clock that is set back meanwhile by an hour would have the follower hear nothing for an hour. No
 * timer that JRaft sets on purpose is longer than {@link #MAX_MILLIS}; one that fires early looks again. All else that
 * JRaft decides by time goes by the monotonic clock.
 */
@SPI(name = "godwit", priority = 100)
public final class BoundedTimers extends DefaultRaftTimerFactory {
    static final long MAX_MILLIS = 60_000;
    /**
     * A part of the shortest delay that is {@link #LONG_MILLIS}, so that heartbeats become no more frequent by much.
     */
    static final long TOGETHER_MILLIS = 250;

    private static final long LONG_MILLIS = 1_000;

    @Override
    public Scheduler getRaftScheduler(boolean shared, int workers, String name) {
        return new Bounded(super.getRaftScheduler(shared, workers, name));
    }

    /** @return the delay, bounded, and shorter by less than {@link #TOGETHER_MILLIS} when it is long */
    static long bounded(long delayMillis, long nowMillis) {
        if (delayMillis < LONG_MILLIS) {
            return delayMillis;
        }
        long due = nowMillis + Math.min(delayMillis, MAX_MILLIS);
        return due - Math.floorMod(due, TOGETHER_MILLIS) - nowMillis;
    }

    /** @param timers runs what is due */
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
