package io.godwit.cluster.link.pairing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SerialTaskTest {
    private final ArrayDeque<Runnable> pool = new ArrayDeque<>();
    private final AtomicInteger runs = new AtomicInteger();

    private void runAll() {
        for (Runnable next = pool.poll(); next != null; next = pool.poll()) {
            next.run();
        }
    }

    /** For example after a stack overflow: without this, later signals would have no effect, silently. */
    @Test
    void workThatFailsIsRunAgainWhenItIsSignalled() {
        SerialTask task = new SerialTask(pool::add, () -> {
            if (runs.incrementAndGet() == 1) {
                throw new StackOverflowError("for the test");
            }
            return false;
        });
        task.signal();
        runAll();
        task.signal();
        runAll();
        assertThat(runs).hasValue(2);
    }

    @Test
    void aSignalThatComesWhileWorkFailsIsNotLost() {
        SerialTask[] task = new SerialTask[1];
        task[0] = new SerialTask(pool::add, () -> {
            if (runs.incrementAndGet() == 1) {
                task[0].signal();
                throw new IllegalStateException("for the test");
            }
            return false;
        });
        task[0].signal();
        runAll();
        assertThat(runs).hasValue(2);
    }
}
