package io.godwit.mqtt.transport.packing;

import io.godwit.testing.Await;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Handing one task from one event loop to another that is idle, as with a message at a low rate from the publisher's
 * loop to the subscriber's. Between loops of the same thread, and between two threads, where each hand-over wakes one.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class HandOverBenchmark {
    private static final int HAND_OVERS = 1_000;
    private static final long LIMIT_SECONDS = 20;

    @Param({"1", "2"})
    public int threads;

    private final List<PackedLoop> loops = new ArrayList<>();
    private PackedLoopGroup group;

    @Setup
    public void setUp() throws InterruptedException {
        group = new PackedLoopGroup(2, new DefaultThreadFactory("loop", true), EpollIoHandler.newFactory());
        group.forEach(loop -> loops.add((PackedLoop) loop));
        handOver(); // the host thread must have started
        if (threads == 1) {
            loops.get(1).moveTo(loops.get(0));
            Await.until(
                    "the loop has moved",
                    Duration.ofSeconds(LIMIT_SECONDS),
                    () -> loops.get(1).isGuest());
        }
        handOver(); // a loop may still be moving when its first task runs
        if (group.activeThreads() != threads) {
            throw new IllegalStateException("loops are run by another number of threads than they should be");
        }
    }

    @Benchmark
    @OperationsPerInvocation(HAND_OVERS)
    public void handOver() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        new Relay(done).run();
        if (!done.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("a task was lost");
        }
    }

    @TearDown
    public void close() {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        loops.clear();
    }

    /** Hands itself from one loop to the other. */
    private final class Relay implements Runnable {
        private final CountDownLatch done;
        private int left = HAND_OVERS;

        private Relay(CountDownLatch done) {
            this.done = done;
        }

        @Override
        public void run() {
            if (left == 0) {
                done.countDown();
                return;
            }
            left--;
            loops.get(left % 2).execute(this);
        }
    }
}
