package io.godwit.kv.coprocessor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SteadyClockTest {
    private static final long START = 1_700_000_000_000L;

    private long wallMillis = START;
    private long nanos = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(5); // the clock may wrap around
    private final SteadyClock clock = new SteadyClock(() -> wallMillis, () -> nanos);

    private void pass(long millis) {
        wallMillis += millis;
        nanos += TimeUnit.MILLISECONDS.toNanos(millis);
    }

    @Test
    void itIsTheWallClockWhileNobodySetsThat() {
        for (int i = 0; i < 100; i++) {
            pass(700);
            assertThat(clock.millis()).isEqualTo(wallMillis);
        }
    }

    @Test
    void itNeverStepsBack() {
        pass(5_000);
        long before = clock.millis();
        wallMillis -= TimeUnit.HOURS.toMillis(2);
        for (int i = 0; i < 1_000; i++) {
            pass(100);
            long now = clock.millis();
            assertThat(now - before).as("the clock runs at most a tenth slower").isBetween(89L, 101L);
            before = now;
        }
    }

    @Test
    void itNeverStepsForward() {
        long before = clock.millis();
        wallMillis += TimeUnit.DAYS.toMillis(1);
        for (int i = 0; i < 1_000; i++) {
            pass(100);
            long now = clock.millis();
            assertThat(now - before).as("the clock runs at most a tenth faster").isBetween(99L, 111L);
            before = now;
        }
    }

    @Test
    void itComesToAgreeWithTheWallClock() {
        wallMillis -= 60_000;
        for (int i = 0; i < 700; i++) {
            pass(1_001);
            clock.millis();
        }
        assertThat(clock.millis()).isBetween(wallMillis, wallMillis + 1);
    }

    /** If the clock was not read for a long time, it must not go beyond the wall clock. */
    @Test
    void aLongSilenceDoesNotCarryItTooFar() {
        clock.millis();
        wallMillis += 1_000;
        pass(2_000);
        clock.millis(); // sees it
        pass(TimeUnit.HOURS.toMillis(1));
        assertThat(clock.millis()).isEqualTo(wallMillis);
    }
}
