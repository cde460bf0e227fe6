package io.godwit.kv.range.apply;

import static org.assertj.core.api.Assertions.assertThat;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Status;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class SnapshotTriggerTest {
    private final Deque<Runnable> io = new ArrayDeque<>();
    private final List<Closure> begun = new ArrayList<>();

    @Test
    void oneIsTakenEverySoManyBytesAndNoneBesideAnother() {
        SnapshotTrigger trigger = new SnapshotTrigger("test-1", 100, io::add);
        trigger.logGrew(99, begun::add);
        assertThat(io).isEmpty();
        trigger.logGrew(1, begun::add);
        runIo();
        assertThat(begun).hasSize(1);

        trigger.logGrew(500, begun::add);
        assertThat(io).isEmpty();
        begun.get(0).run(Status.OK());
        trigger.logGrew(1, begun::add);
        runIo();
        assertThat(begun).hasSize(2);
    }

    @Test
    void whatTheLogGrowsByBeforeTheGroupRunsCounts() {
        SnapshotTrigger trigger = new SnapshotTrigger("test-1", 100, io::add);
        trigger.logGrew(500, null);
        assertThat(io).isEmpty();
        trigger.logGrew(1, begun::add);
        runIo();
        assertThat(begun).hasSize(1);
    }

    @Test
    void afterOneThatFailedTheNextIsTaken() {
        SnapshotTrigger trigger = new SnapshotTrigger("test-1", 100, io::add);
        trigger.logGrew(100, begun::add);
        runIo();
        begun.get(0).run(new Status(-1, "planted"));
        trigger.logGrew(100, begun::add);
        runIo();
        assertThat(begun).hasSize(2);
    }

    @Test
    void afterOneThatCouldNotBeBegunTheNextIsTaken() {
        SnapshotTrigger trigger = new SnapshotTrigger("test-1", 100, io::add);
        trigger.logGrew(100, closure -> {
            throw new IllegalStateException("planted");
        });
        runIo();
        trigger.logGrew(100, begun::add);
        runIo();
        assertThat(begun).hasSize(1);
    }

    @Test
    void threadsThatAreGoneAreNoFault() {
        Executor gone = task -> {
            throw new RejectedExecutionException("planted");
        };
        SnapshotTrigger trigger = new SnapshotTrigger("test-1", 100, gone);
        trigger.logGrew(100, begun::add);
        trigger.logGrew(100, begun::add);
        assertThat(begun).isEmpty();
    }

    private void runIo() {
        while (!io.isEmpty()) {
            io.remove().run();
        }
    }
}
