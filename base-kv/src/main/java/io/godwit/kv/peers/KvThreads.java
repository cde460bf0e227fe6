package io.godwit.kv.peers;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The threads of a node, with names that show their purpose in a thread dump. */
public final class KvThreads implements AutoCloseable {
    private static final long CLOSE_SECONDS = 10;

    private final ExecutorService ranges;
    private final ExecutorService io;
    private final ScheduledThreadPoolExecutor timers;

    public KvThreads() {
        int cores = Runtime.getRuntime().availableProcessors();
        AtomicInteger number = new AtomicInteger(); // several threads call the factory
        ranges = new ForkJoinPool(
                cores,
                pool -> {
                    ForkJoinWorkerThread thread = ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(pool);
                    thread.setName("kv-range-" + number.incrementAndGet());
                    return thread;
                },
                null,
                true);
        io = Executors.newFixedThreadPool(Math.max(4, 2 * cores), daemons("kv-io-"));
        timers = new ScheduledThreadPoolExecutor(1, daemons("kv-timer-"));
        timers.setRemoveOnCancelPolicy(true);
    }

    /** For range executors, which never block: one thread per core. */
    public Executor ranges() {
        return ranges;
    }

    /** For tasks that may block. */
    public Executor io() {
        return io;
    }

    /** Only hands tasks over to other threads. */
    public ScheduledExecutorService timers() {
        return timers;
    }

    /** Runs {@code task} on an I/O thread at a fixed interval until the threads are closed. */
    @SuppressWarnings("FutureReturnValueIgnored") // ends with the timers
    public void everyMillis(long millis, Runnable task) {
        timers.scheduleWithFixedDelay(() -> io.execute(task), millis, millis, TimeUnit.MILLISECONDS);
    }

    /** Stops the timers, and lets the other threads finish their tasks. */
    @Override
    public void close() {
        timers.shutdownNow();
        io.shutdown();
        ranges.shutdown();
        try {
            if (!io.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)
                    || !ranges.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("tasks still running after " + CLOSE_SECONDS + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static ThreadFactory daemons(String prefix) {
        AtomicInteger number = new AtomicInteger(); // several threads call the factory
        return task -> {
            Thread thread = new Thread(task, prefix + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
