package io.godwit.kv;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CpuLoadTest {
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 100); // wraps
    private final AtomicInteger looks = new AtomicInteger();
    private final CpuLoad load = new CpuLoad(() -> looks.incrementAndGet() / 10.0, nanos::get);

    @Test
    void questionsWithinHalfASecondShareALook() {
        assertThat(load.now()).isEqualTo(0.1);
        nanos.addAndGet(499_999_999);
        assertThat(load.now()).isEqualTo(0.1);
        nanos.addAndGet(1);
        assertThat(load.now()).isEqualTo(0.2);
        assertThat(looks).hasValue(2);
    }

    @Test
    void whatTheSystemDoesNotKnowIsNothing() {
        assertThat(new CpuLoad(() -> -1, nanos::get).now()).isZero();
        assertThat(new CpuLoad(() -> Double.NaN, nanos::get).now()).isZero();
        assertThat(new CpuLoad(() -> 1.5, nanos::get).now()).isEqualTo(1);
    }
}
