package io.godwit.perf.rows;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.perf.scenario.Scenario;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rounds of a warm-up, on a clock that is moved by hand. */
class WarmUpTest {
    private final List<Integer> rounds = new ArrayList<>();
    private long nowNanos = Long.MAX_VALUE - 1_000; // the clock may overflow

    /** Runs the warm-up of a load whose rounds take {@code each} longer than the load; returns its cautions. */
    private List<String> run(int warmUpSeconds, Load load, Duration each, List<String> troubles) throws Exception {
        LoadTimes times = LoadTimes.of(Duration.ofSeconds(warmUpSeconds), Duration.ofSeconds(10));
        return new WarmUp(times, () -> nowNanos).run(load.scenario(1, 10), part -> {
            rounds.add(part.connections());
            nowNanos += each.toNanos() + openingNanos(part);
            return troubles;
        });
    }

    private static long openingNanos(Scenario part) {
        return part.connectRate() == 0 ? 0 : (long) (part.connections() / part.connectRate() * 1e9);
    }

    @Test
    void aRoundIsAsLongAsTheMeasuredTimeAndTheLastOneTakesTheRest() throws Exception {
        run(25, Load.SUBSCRIBE_PERSISTENT, Duration.ofSeconds(2), List.of());

        assertThat(rounds)
                .as("100/s: 10 s and 2 s, 10 s and 2 s, and the second that is left")
                .containsExactly(1_000, 1_000, 100);
    }

    @Test
    void whatIsLeftOfLessThanASecondIsNotUsed() throws Exception {
        run(21, Load.SUBSCRIBE_LIVE, Duration.ofMillis(250), List.of());

        assertThat(rounds).containsExactly(1_000, 1_000);
    }

    @Test
    void aLoadWithoutARateIsRepeatedWhole() throws Exception {
        run(5, Load.CONNECT, Duration.ofSeconds(2), List.of());

        assertThat(rounds).containsExactly(6_000, 6_000, 6_000);
    }

    @Test
    void withoutAWarmUpThereIsNoRound() throws Exception {
        run(0, Load.CONNECT, Duration.ofSeconds(2), List.of());

        assertThat(rounds).isEmpty();
    }

    @Test
    void troublesAreToldOnceAndAsThoseOfTheWarmUp() throws Exception {
        List<String> cautions = run(5, Load.CONNECT, Duration.ofSeconds(2), List.of("3 connections failed"));

        assertThat(cautions).containsExactly("in the warm-up 3 connections failed");
    }
}
