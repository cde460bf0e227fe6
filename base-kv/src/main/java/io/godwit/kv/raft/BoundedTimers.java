package io.godwit.kv.raft;

import com.alipay.sofa.jraft.core.Scheduler;
import com.alipay.sofa.jraft.util.SPI;
import com.alipay.sofa.jraft.util.timer.DefaultRaftTimerFactory;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * JRaft's timers, with a bound on what the wall clock can do to them. A leader takes the delay to a follower's next heartbeat, and to the next attempt at
 * one that could not be reached, as the difference of two looks at the wall clock, with a call between them: a clock that is set back meanwhile
 * by an hour would have the follower hear nothing for an hour. No timer that JRaft sets on purpose is longer than {@link #MAX_MILLIS}; one that
 * fires early looks again. All else that JRaft decides by time goes by the monotonic clock.
 */
@SPI(name = "godwit", priority = 100)
public final class BoundedTimers extends DefaultRaftTimerFactory {
    static final long MAX_MILLIS = 60_000;

    @Override
    public Scheduler getRaftScheduler(boolean shared, int workers, String name) {
        return new Bounded(super.getRaftScheduler(shared, workers, name));
    }

    /** @param timers runs what is due */
    record Bounded(Scheduler timers) implements Scheduler {
        @Override
        public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
            return timers.schedule(command, Math.min(unit.toMillis(delay), MAX_MILLIS), TimeUnit.MILLISECONDS);
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
