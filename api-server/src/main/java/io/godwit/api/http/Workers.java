package io.godwit.api.http;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A few threads for tasks that block or take long, with a bounded number of waiting tasks. */
public final class Workers implements AutoCloseable {
    private static final int THREADS = 2;
    private static final int MAX_WAITING = 128;
    /** More than the number of backups that the ports allow at a time. */
    private static final int STREAMS = 4;

    /** Large answers waiting to be encoded, each of up to 16 MiB. */
    private static final int ENCODERS_WAITING = 16;

    private static final long IDLE_SECONDS = 30;

    private final ThreadPoolExecutor threads;

    public Workers() {
        this("api-worker", THREADS, new ArrayBlockingQueue<>(MAX_WAITING));
    }

    /** For bodies that are produced while they are sent. */
    public static Workers ofStreams() {
        return new Workers("api-stream", STREAMS, new SynchronousQueue<>());
    }

    /** One thread that encodes large answers: there is memory for one at a time. */
    public static Workers ofEncoding() {
        return new Workers("api-encoder", 1, new ArrayBlockingQueue<>(ENCODERS_WAITING));
    }

    private Workers(String name, int count, BlockingQueue<Runnable> waiting) {
        threads = new ThreadPoolExecutor(count, count, IDLE_SECONDS, TimeUnit.SECONDS, waiting, task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
        threads.allowCoreThreadTimeOut(true);
    }

    /**
     * Completes on a worker, with the task's result or exception; when too many tasks wait, fails at once with a
     * {@link ProblemException}.
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
