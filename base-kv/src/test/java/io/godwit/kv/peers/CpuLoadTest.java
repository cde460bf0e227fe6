package io.godwit.kv.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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

    /** An operator who keeps asking a node for its ranges must not keep its balancers from moving them. */
    @Test
    void whatOtherProcessesTakeIsNotCounted() throws Exception {
        List<Process> others = new ArrayList<>();
        try {
            for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
                others.add(new ProcessBuilder("sh", "-c", "while :; do :; done").start());
            }
            CpuLoad.OF_PROCESS.now(); // the measurement begins here
            Await.until(
                    "a look after a second of theirs",
                    () -> others.stream()
                            .allMatch(other -> other.toHandle()
                                    .info()
                                    .totalCpuDuration()
                                    .filter(time -> time.compareTo(Duration.ofMillis(700)) > 0)
                                    .isPresent()));
            assertThat(CpuLoad.OF_PROCESS.now()).isLessThan(0.7);
        } finally {
            others.forEach(Process::destroyForcibly);
        }
    }

    @Test
    void anUnknownLoadCountsAsZero() {
        assertThat(new CpuLoad(() -> -1, nanos::get).now()).isZero();
        assertThat(new CpuLoad(() -> Double.NaN, nanos::get).now()).isZero();
        assertThat(new CpuLoad(() -> 1.5, nanos::get).now()).isEqualTo(1);
    }
}
