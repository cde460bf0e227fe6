package io.godwit.kv.raft;

import static org.assertj.core.api.Assertions.assertThat;

import com.alipay.sofa.jraft.core.Scheduler;
import com.alipay.sofa.jraft.util.JRaftServiceLoader;
import com.alipay.sofa.jraft.util.timer.RaftTimerFactory;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BoundedTimersTest {
    /** The effect of a clock that is set back by an hour, or forward, on the delay of a heartbeat. */
    @Test
    void aClockThatJumpsDelaysNoTimerForLong() {
        RaftTimerFactory factory =
                JRaftServiceLoader.load(RaftTimerFactory.class).first();
        assertThat(factory).isInstanceOf(BoundedTimers.class);
        Scheduler timers = factory.getRaftScheduler(true, 1, "test");
        try {
            assertThat(millisLeft(timers, TimeUnit.HOURS.toMillis(1))).isBetween(1L, BoundedTimers.MAX_MILLIS);
            assertThat(millisLeft(timers, 2_000)).isBetween(1L, 2_000L);
            assertThat(millisLeft(timers, -TimeUnit.HOURS.toMillis(1))).isLessThanOrEqualTo(0);
        } finally {
            timers.shutdown();
        }
    }

    /** Once aligned, the heartbeats of a group keep their distance. */
    @Test
    void longDelaysEndTogether() {
        assertThat(BoundedTimers.bounded(2_000, 10_000)).isEqualTo(2_000);
        assertThat(BoundedTimers.bounded(1_997, 10_003)).isEqualTo(1_997);
        assertThat(BoundedTimers.bounded(2_000, 10_249)).isEqualTo(1_751);
        assertThat(BoundedTimers.bounded(2_000, -10_001)).isEqualTo(1_751);
    }

    /** A short retry keeps its delay. */
    @Test
    void shortDelaysAreLeftAlone() {
        assertThat(BoundedTimers.bounded(999, 10_003)).isEqualTo(999);
        assertThat(BoundedTimers.bounded(0, 10_003)).isZero();
    }

    private static long millisLeft(Scheduler timers, long delay) {
        ScheduledFuture<?> timer = timers.schedule(() -> {}, delay, TimeUnit.MILLISECONDS);
        long left = timer.getDelay(TimeUnit.MILLISECONDS);
        timer.cancel(false);
        return left;
    }
}
