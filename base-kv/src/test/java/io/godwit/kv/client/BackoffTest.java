package io.godwit.kv.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class BackoffTest {
    private static LongStream pauses(Backoff backoff) {
        return IntStream.rangeClosed(1, 7).mapToLong(backoff::pause);
    }

    @Test
    void pausesDoubleUpToTheLast() {
        assertThat(pauses(new Backoff(500, 5_000, () -> 1)))
                .containsExactly(500L, 1_000L, 2_000L, 4_000L, 5_000L, 5_000L, 5_000L);
        assertThat(new Backoff(500, 5_000, () -> 1).pause(Integer.MAX_VALUE)).isEqualTo(5_000);
        assertThat(new Backoff(1, Long.MAX_VALUE, () -> 1).pause(100)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void atLeastHalfOfAPauseIsWaited() {
        assertThat(pauses(new Backoff(500, 5_000, () -> 0)))
                .containsExactly(250L, 500L, 1_000L, 2_000L, 2_500L, 2_500L, 2_500L);
        assertThat(new Backoff(1, 1, () -> 0).pause(1)).isEqualTo(1);
    }

    /** Of a thousand that fail together, only a few retry in the same hundredth of the pause. */
    @Test
    void thoseThatFailTogetherAreSpread() {
        Random random = new Random(7);
        Backoff backoff = new Backoff(500, 5_000, random::nextDouble);
        int[] asking = new int[50];
        for (int i = 0; i < 1_000; i++) {
            long pause = backoff.pause(9);
            assertThat(pause).isBetween(2_500L, 5_000L);
            asking[(int) Math.min(49, (pause - 2_500) / 50)]++;
        }
        assertThat(IntStream.of(asking).boxed())
                .allSatisfy(count -> assertThat(count).isBetween(1, 60));
    }

    @Test
    void pausesThatShrinkAreNone() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Backoff(0, 1, () -> 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new Backoff(2, 1, () -> 1));
    }
}
