package io.godwit.broker.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.port.cluster.HealthView;
import io.godwit.broker.api.NodeHealth.Phase;
import io.godwit.testing.Await;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

class NodeHealthTest {
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 3);
    private final NodeHealth health = new NodeHealth(nanos::get);

    @Test
    void aNodeIsReadyFromTheOpenListenersToTheStop() {
        health.waiting("node b does not answer");
        assertThat(health.view().notReady()).containsExactly("the node starts and waits: node b does not answer");
        assertThat(health.view().isLive()).isTrue();
        health.waiting("");
        assertThat(health.view().notReady()).containsExactly("the node starts");
        health.phase(Phase.SERVING);
        assertThat(health.view()).isEqualTo(new HealthView(List.of(), List.of()));
        health.phase(Phase.STOPPING);
        assertThat(health.view().notReady()).containsExactly("the node stops");
    }

    @Test
    void whatIsLackingIsTold() {
        health.phase(Phase.SERVING);
        health.lacks(() -> List.of("store inbox: READ_ONLY"));
        health.look();
        assertThat(health.view().notReady()).containsExactly("store inbox: READ_ONLY");
        health.lacks(List::of);
        health.look();
        assertThat(health.view().isReady()).isTrue();
    }

    @Test
    void aStateThatCannotBeReadIsNotReadyButLives() {
        health.phase(Phase.SERVING);
        health.look();
        nanos.addAndGet(NodeHealth.LATE_NANOS + 1);
        health.beat();
        assertThat(health.view().isLive()).isTrue();
        assertThat(health.view().notReady()).singleElement().asString().contains("10 seconds", "hangs");
        health.lacks(() -> {
            throw new IllegalStateException("closed");
        });
        health.look();
        assertThat(health.view().isReady()).isFalse();
    }

    @Test
    void aLookThatFailedIsFollowedByOthers() {
        try (NodeHealth running = new NodeHealth()) {
            running.phase(Phase.SERVING);
            running.start();
            CountDownLatch failures = new CountDownLatch(2);
            running.lacks(() -> {
                if (failures.getCount() > 0) {
                    failures.countDown();
                    throw new NoClassDefFoundError("a class that is missing");
                }
                return List.of("store inbox: READ_ONLY");
            });
            Await.until("a look that succeeds", () -> !running.view().isReady());
            assertThat(failures.getCount()).isZero();
            assertThat(running.view().notReady()).containsExactly("store inbox: READ_ONLY");
        }
    }

    @Test
    void aProcessWhoseThreadsDoNotRunIsNotLive() {
        health.phase(Phase.SERVING);
        nanos.addAndGet(NodeHealth.DEAD_NANOS + 1);
        assertThat(health.view().notLive()).singleElement().asString().contains("30 seconds");
        assertThat(health.view().isReady()).isFalse();
        health.beat();
        assertThat(health.view().isLive()).isTrue();
    }

    @Test
    void threadsThatWaitForEachOtherForEverAreFound() throws Exception {
        try (NodeHealth running = new NodeHealth()) {
            ReentrantLock one = new ReentrantLock();
            ReentrantLock other = new ReentrantLock();
            CountDownLatch both = new CountDownLatch(2);
            Thread first = new Thread(() -> takeBoth(one, other, both), "first");
            Thread second = new Thread(() -> takeBoth(other, one, both), "second");
            first.start();
            second.start();
            Await.until("the deadlock", () -> {
                running.lookForDeadlock();
                return !running.view().isLive();
            });
            assertThat(running.view().notLive()).singleElement().asString().contains("first", "second");
            first.interrupt();
            second.interrupt();
            first.join(TimeUnit.SECONDS.toMillis(30));
            second.join(TimeUnit.SECONDS.toMillis(30));
            running.lookForDeadlock();
            assertThat(running.view().isLive()).isTrue();
        }
    }

    private static void takeBoth(ReentrantLock mine, ReentrantLock theirs, CountDownLatch both) {
        mine.lock();
        try {
            both.countDown();
            both.await();
            theirs.lockInterruptibly();
            theirs.unlock();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            mine.unlock();
        }
    }
}
