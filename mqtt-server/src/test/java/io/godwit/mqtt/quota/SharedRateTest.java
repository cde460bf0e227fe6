package io.godwit.mqtt.quota;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SharedRateTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    @Test
    void aSecondsWorthGoesAtOnceThenAsMuchAsFlowsIn() {
        long now = Long.MAX_VALUE - SECOND; // the clock may begin anywhere, and overflow
        SharedRate rate = new SharedRate(10, now);
        for (int i = 0; i < 10; i++) {
            assertThat(rate.take(1, now)).isZero();
        }
        assertThat(rate.take(1, now)).isEqualTo(SECOND / 10);
        assertThat(rate.take(4, now)).isEqualTo(SECOND / 2);
        assertThat(rate.owedNanos(now + SECOND / 4)).isEqualTo(SECOND / 4);
        assertThat(rate.owedNanos(now + SECOND / 2)).isZero();
        assertThat(rate.take(1, now + 2 * SECOND))
                .as("no more than the burst of one second was saved")
                .isZero();
        assertThat(rate.take(9, now + 2 * SECOND)).isZero();
        assertThat(rate.take(1, now + 2 * SECOND)).isEqualTo(SECOND / 10);
    }

    @Test
    void oneThatMayNotGoNowIsNotOwed() {
        SharedRate rate = new SharedRate(2, 0);
        assertThat(rate.tryTake(0)).isTrue();
        assertThat(rate.tryTake(0)).isTrue();
        for (int i = 0; i < 100; i++) {
            assertThat(rate.tryTake(0)).isFalse();
        }
        assertThat(rate.tryTake(SECOND / 2)).isTrue();
        assertThat(rate.tryTake(SECOND / 2)).isFalse();
    }

    @Test
    void noneAtAllIsNone() {
        SharedRate rate = new SharedRate(0, 0);
        assertThat(rate.tryTake(10 * SECOND)).isFalse();
        assertThat(rate.take(1, 10 * SECOND)).isEqualTo(SECOND);
        assertThat(rate.owedNanos(20 * SECOND)).isEqualTo(SECOND);
        assertThat(rate.at(5, 20 * SECOND).owedNanos(20 * SECOND)).isZero();
    }

    @Test
    void whatIsOwedIsOwedAtTheRateOfNow() {
        SharedRate rate = new SharedRate(10, 0);
        rate.take(30, 0);
        assertThat(rate.owedNanos(0)).isEqualTo(2 * SECOND);
        assertThat(rate.at(10, 0)).isSameAs(rate);
        SharedRate raised = rate.at(1_000, 0);
        assertThat(raised.owedNanos(0)).isEqualTo(SECOND / 50);
        SharedRate back = raised.at(10, 0);
        assertThat(back.owedNanos(0))
                .as("a share that goes up and down forgives nothing")
                .isEqualTo(2 * SECOND);
        SharedRate overNone = back.at(0, 0).at(20, SECOND);
        assertThat(overNone.owedNanos(SECOND)).isEqualTo(SECOND / 2);
    }

    @Test
    void aMuchLowerRateMakesADebtAnHourLongAtMost() {
        SharedRate rate = new SharedRate(1_000_000, 0);
        rate.take(2_000_000, 0);
        assertThat(rate.at(1, 0).owedNanos(0)).isEqualTo(3_600 * SECOND);
    }

    @Test
    void aSecondsWorthThatIsLeftStaysOne() {
        SharedRate rate = new SharedRate(10, 0).at(2, 0);
        assertThat(rate.tryTake(0)).isTrue();
        assertThat(rate.tryTake(0)).isTrue();
        assertThat(rate.tryTake(0)).isFalse();
    }

    /** Far more than one, and than all that a rate may be. */
    @Test
    void largeCountsAndRatesAreNoTrouble() {
        SharedRate fast = new SharedRate(Integer.MAX_VALUE, 0);
        assertThat(fast.take(Integer.MAX_VALUE, 0)).isLessThan(10);
        assertThat(fast.take(Integer.MAX_VALUE, 0)).isBetween(SECOND - 10, SECOND + 10);
    }
}
