package io.godwit.dist.member;

import io.godwit.kv.client.Backoff;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that all state of {@link ClusterMembers} is confined to, and its clocks, which any thread may read.
 */
interface MemberThread extends AutoCloseable {
    void execute(Runnable task);

    /** Runs {@code task} on the thread after a delay. */
    void later(long nanos, Runnable task);

    /**
     * Runs {@code task} on another thread. Callbacks of the members' futures may take long, but the ticks of this
     * thread are the proof that the node serves. Tasks may run at the same time, in any order.
     */
    void tell(Runnable task);

    /** The monotonic clock. */
    long nanoTime();

    /** The wall clock; only its differences count, see {@link Freshness}. */
    long wallMillis();

    /** A new random number from 0 to 1; see {@link io.godwit.kv.client.Backoff}. */
    double random();

    /** Starts no further task. */
    @Override
    void close();

    /** Starts a thread. */
    static MemberThread start() {
        return new Scheduled();
    }

    /** Runs on an executor; logs exceptions of tasks. */
    final class Scheduled implements MemberThread {
        private static final Logger LOG = LoggerFactory.getLogger(MemberThread.class);

        private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "dist-members");
            thread.setDaemon(true);
            return thread;
        });

        /** Two threads, so that a SUBSCRIBE does not wait for all the waiting publishes. */
        private final ExecutorService tellers = Executors.newFixedThreadPool(2, task -> {
            Thread thread = new Thread(task, "dist-members-tell");
            thread.setDaemon(true);
            return thread;
        });

        private Scheduled() {
            executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        }

        @Override
        public void execute(Runnable task) {
            later(0, task);
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // tasks look for themselves whether there is something to do
        public void later(long nanos, Runnable task) {
            try {
                executor.schedule(() -> run(task), nanos, TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException e) {
                LOG.debug("closed, task not run");
            }
        }

        @Override
        public void tell(Runnable task) {
            try {
                tellers.execute(() -> run(task));
            } catch (RejectedExecutionException e) {
                LOG.debug("closed, nobody told");
            }
        }

        private static void run(Runnable task) {
            try {
                task.run();
            } catch (RuntimeException | Error e) { // the outermost frame of the thread
                LOG.error("task of the members failed", e);
            }
        }

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public long wallMillis() {
            return System.currentTimeMillis();
        }

        @Override
        public double random() {
            return Backoff.RANDOM.getAsDouble();
        }

        @Override
        public void close() {
            executor.shutdown();
            tellers.shutdown();
        }
    }
}
