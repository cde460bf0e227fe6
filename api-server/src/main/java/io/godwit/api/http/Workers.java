package io.godwit.api.http;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A few threads for what may block or takes a while, and so many tasks that may wait for them. */
public final class Workers implements AutoCloseable {
    private static final int THREADS = 2;
    private static final int MAX_WAITING = 128;
    private static final long IDLE_SECONDS = 30;

    private final ThreadPoolExecutor threads;

    public Workers() {
        threads = new ThreadPoolExecutor(
                THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MAX_WAITING), task -> {
                    Thread thread = new Thread(task, "api-worker");
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
    }

    /**
     * Completes on a worker, with what the task throws; when too many wait, at once with a {@link ProblemException}.
     */
    public <T> CompletableFuture<T> supply(Supplier<T> task) {
        try {
            return CompletableFuture.supplyAsync(task, threads);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(
                    new ProblemException(Problem.unavailable("too many requests wait, or the node stops")));
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
