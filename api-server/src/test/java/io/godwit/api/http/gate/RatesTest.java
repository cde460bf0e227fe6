package io.godwit.api.http.gate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RatesTest {
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
    private final Rates rates = new Rates(10, nanos::get);

    private int taken(String caller) {
        int taken = 0;
        while (rates.tryTake(caller)) {
            taken++;
        }
        return taken;
    }

    @Test
    void eachCallerHasItsOwnAndSavesUpTwoSeconds() {
        assertThat(taken("a")).isEqualTo(20);
        assertThat(taken("b")).isEqualTo(20);
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(550));
        assertThat(taken("a")).isEqualTo(5);
        nanos.addAndGet(TimeUnit.HOURS.toNanos(1));
        assertThat(taken("a")).isEqualTo(20);
    }

    @Test
    void callersAreForgottenBeyondABound() {
        for (int i = 0; i < 20_000; i++) {
            rates.tryTake("caller" + i);
        }
        assertThat(rates.callers()).isEqualTo(10_000);
    }
}
