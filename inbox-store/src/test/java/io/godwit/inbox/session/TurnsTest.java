package io.godwit.inbox.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TurnsTest {
    /** The tasks touch state that is not thread-safe. */
    @Test
    void tasksOfManyThreadsRunOneAtATimeAndInOrder() throws InterruptedException {
        int threads = 4;
        int each = 5_000;
        ExecutorService executor = Executors.newFixedThreadPool(3);
        List<List<Integer>> seen = new ArrayList<>();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger worst = new AtomicInteger();
        AtomicInteger ends = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(threads * each);
        Turns turns = new Turns(executor, ends::incrementAndGet);
        for (int t = 0; t < threads; t++) {
            List<Integer> mine = new ArrayList<>();
            seen.add(mine);
            new Thread(() -> {
                        for (int i = 0; i < each; i++) {
                            int number = i;
                            turns.submit(() -> {
                                worst.accumulateAndGet(inside.incrementAndGet(), Math::max);
                                mine.add(number);
                                inside.decrementAndGet();
                                all.countDown();
                            });
                        }
                    })
                    .start();
        }
        assertThat(all.await(20, TimeUnit.SECONDS)).isTrue();
        executor.shutdown();
        assertThat(executor.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
        assertThat(worst).hasValue(1);
        assertThat(seen).allSatisfy(mine -> assertThat(mine).hasSize(each).isSorted());
        assertThat(ends.get()).isPositive();
    }

    @Test
    void taskThatFailsHoldsNobodyUp() {
        List<String> ran = new ArrayList<>();
        Turns turns = new Turns(Runnable::run, () -> ran.add("end"));
        turns.submit(() -> {
            throw new IllegalStateException("a test");
        });
        turns.submit(() -> {
            throw new StackOverflowError("a test");
        });
        turns.submit(() -> ran.add("next"));
        assertThat(ran).containsExactly("end", "end", "next", "end");
    }
}
