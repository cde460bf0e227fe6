package io.godwit.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AwaitTest {
    @Test
    void endsWithTheLookThatFindsIt() {
        AtomicInteger looks = new AtomicInteger();
        Await.until("third look", () -> looks.incrementAndGet() == 3);
        assertThat(looks).hasValue(3);
    }

    @Test
    void saysWhatDidNotComeToHold() {
        assertThatThrownBy(() -> Await.until("rain", Duration.ofMillis(5), () -> false))
                .isInstanceOf(AssertionError.class)
                .hasMessage("not within PT0.005S: rain");
    }

    @Test
    void whatALookThrowsEndsTheWait() {
        assertThatThrownBy(() -> Await.until("rain", () -> {
                    throw new IOException("no window");
                }))
                .isInstanceOf(IOException.class)
                .hasMessage("no window");
    }

    @Test
    void whatMustHoldMeanwhileIsLookedAtAgainAndAgain() {
        AtomicInteger looks = new AtomicInteger();
        assertThatThrownBy(() -> Await.holds("dry", Duration.ofHours(1), () -> looks.incrementAndGet() < 4))
                .isInstanceOf(AssertionError.class)
                .hasMessage("held no longer: dry");
        assertThat(looks).hasValue(4);
        Await.holds("dry", Duration.ofMillis(5), () -> looks.incrementAndGet() > 0);
        assertThat(looks).hasValueGreaterThan(5);
    }

    @Test
    void anInterruptedThreadDoesNotGoOnWaiting() {
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(() -> Await.until("rain", () -> false)).hasMessage("interrupted");
            long begun = System.nanoTime();
            Pace.pass(Duration.ofHours(1));
            assertThat(System.nanoTime() - begun)
                    .isLessThan(Duration.ofMinutes(10).toNanos());
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void aGivenTimePassesWhole() {
        long begun = System.nanoTime();
        Pace.passMillis(3);
        assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(3_000_000);
    }
}
