package io.godwit.kv.raft.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class BandwidthTest {
    private final AtomicLong now = new AtomicLong(-5); // any origin
    private final Bandwidth bandwidth = new Bandwidth(1_000, now::get);

    @Test
    void waitsAddUpToTheRate() {
        long waited = 0;
        long sent = 0;
        while (sent < 100_000) {
            long wait = bandwidth.take(500);
            now.addAndGet(wait);
            waited += wait;
            sent += 500;
        }
        assertThat(TimeUnit.NANOSECONDS.toSeconds(waited)).isBetween(98L, 100L);
    }

    /** Otherwise a sender that was idle for an hour could send for an hour without a limit. */
    @Test
    void pauseIsNotMadeUpFor() {
        now.addAndGet(TimeUnit.HOURS.toNanos(1));
        assertThat(bandwidth.take(1_000)).isZero();
        assertThat(bandwidth.take(1_000)).isBetween(TimeUnit.MILLISECONDS.toNanos(900), TimeUnit.SECONDS.toNanos(1));
    }

    @Test
    void oneThatIsLargerThanTheRateGoesAndTheNextWaits() {
        assertThat(bandwidth.take(10_000)).isZero();
        assertThat(TimeUnit.NANOSECONDS.toSeconds(bandwidth.take(1))).isBetween(9L, 10L);
    }
}
