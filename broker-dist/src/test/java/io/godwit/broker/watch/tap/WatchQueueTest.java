package io.godwit.broker.watch.tap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.broker.watch.question.WatchEntry;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class WatchQueueTest {
    private final AtomicLong nanos = new AtomicLong(-5);
    private final WatchQueue queue = new WatchQueue(nanos::get);
    private final AtomicInteger told = new AtomicInteger();

    private static WatchEntry entry(String text) {
        return new WatchEntry(1, "t", Map.of("text", text));
    }

    private void offer(int times, String text) {
        for (int i = 0; i < times; i++) {
            queue.offer(() -> entry(text));
        }
    }

    private int takeAll() {
        int taken = 0;
        while (queue.poll() != null) {
            taken++;
        }
        return taken;
    }

    @Test
    void theRateIsBoundedAndWhatIsTooMuchIsCounted() {
        offer(1_500, "a");
        assertThat(takeAll()).isEqualTo(WatchQueue.ENTRIES_PER_SECOND);
        assertThat(queue.takeLost()).isEqualTo(500);
        assertThat(queue.takeLost()).isZero();

        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(100));
        offer(1_500, "a");
        assertThat(takeAll()).isEqualTo(100);
        nanos.addAndGet(TimeUnit.HOURS.toNanos(1)); // a pause saves up one second
        offer(1_500, "a");
        assertThat(takeAll()).isEqualTo(1_000);
    }

    @Test
    void theNumberIsBounded() {
        for (int i = 0; i < 4; i++) {
            offer(1_000, "a");
            nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        }
        assertThat(takeAll()).isEqualTo(WatchQueue.MAX_ENTRIES);
        assertThat(queue.takeLost()).isEqualTo(2_000);
    }

    @Test
    void theBytesAreBounded() {
        offer(900, "x".repeat(1_024));
        int taken = takeAll();
        assertThat(taken * entry("x".repeat(1_024)).bytes())
                .isBetween(WatchQueue.MAX_BYTES, WatchQueue.MAX_BYTES + 3_000);
        assertThat(queue.takeLost()).isEqualTo(900 - taken);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        offer(3, "y");
        assertThat(takeAll()).isEqualTo(3);
    }

    /** Entries that do not fit are not even created. */
    @Test
    void whatDoesNotFitCostsNothing() {
        offer(1_000, "a");
        queue.offer(() -> {
            throw new AssertionError("made");
        });
        assertThat(queue.takeLost()).isEqualTo(1);
    }

    @Test
    void aFaultLeavesRoom() {
        assertThatThrownBy(() -> queue.offer(() -> {
                    throw new IllegalStateException("fault");
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(queue.takeLost()).isEqualTo(1);
        offer(1, "a");
        assertThat(takeAll()).isEqualTo(1);
    }

    @Test
    void theTakerIsToldOnceUntilItHasFoundNothing() {
        queue.onReady(told::incrementAndGet);
        offer(3, "a");
        assertThat(told).hasValue(1);
        queue.poll();
        offer(1, "a");
        assertThat(told).hasValue(1);
        takeAll();
        offer(1, "a");
        assertThat(told).hasValue(2);
    }

    @Test
    void manyThreadsLoseNothingUntold() throws Exception {
        CountDownLatch done = new CountDownLatch(4);
        for (int i = 0; i < 4; i++) {
            new Thread(() -> {
                        for (int j = 0; j < 5_000; j++) {
                            nanos.addAndGet(TimeUnit.MICROSECONDS.toNanos(500));
                            queue.offer(() -> entry("a"));
                        }
                        done.countDown();
                    })
                    .start();
        }
        long taken = 0;
        while (done.getCount() > 0) {
            taken += takeAll();
        }
        assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        taken += takeAll();
        assertThat(taken + queue.takeLost()).isEqualTo(20_000);
        assertThat(taken).isPositive();
    }
}
