package io.godwit.broker.auth;

import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.RefusalReason;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The threads that compute password hashes: few, and with a bounded queue, so that a flood of logins costs neither the event loops nor memory.
 * Whoever finds the queue full, or has waited longer than a client would, is refused as busy without any computing.
 */
final class PasswordPool implements AutoCloseable {
    private static final CompletableFuture<ConnectResult> FULL = CompletableFuture.completedFuture(
            new ConnectResult.Refused(RefusalReason.BUSY, "too many passwords wait to be checked"));
    private static final ConnectResult LATE =
            new ConnectResult.Refused(RefusalReason.BUSY, "the password was not checked in time");

    private final ThreadPoolExecutor threads;
    private final long patienceNanos;
    private final LongSupplier nanoTime;

    /**
     * @param count of threads, at least 1
     * @param maxWaiting at least 1
     * @param patience after which one that still waits is refused
     */
    PasswordPool(int count, int maxWaiting, Duration patience, LongSupplier nanoTime) {
        this.patienceNanos = patience.toNanos();
        this.nanoTime = nanoTime;
        AtomicInteger number = new AtomicInteger();
        threads = new ThreadPoolExecutor(
                count, count, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(maxWaiting), task -> {
                    Thread thread = new Thread(task, "password-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
    }

    /** Runs {@code check} on one of the threads, where the future completes; with what {@code check} throws when it throws. */
    CompletableFuture<ConnectResult> submit(Supplier<ConnectResult> check) {
        long submitted = nanoTime.getAsLong();
        CompletableFuture<ConnectResult> result = new CompletableFuture<>();
        try {
            threads.execute(() -> run(check, submitted, result));
        } catch (RejectedExecutionException e) {
            return FULL;
        }
        return result;
    }

    private void run(Supplier<ConnectResult> check, long submitted, CompletableFuture<ConnectResult> result) {
        if (nanoTime.getAsLong() - submitted > patienceNanos) {
            result.complete(LATE);
            return;
        }
        try {
            result.complete(check.get());
        } catch (RuntimeException | Error e) { // outermost frame; whoever waits is told
            result.completeExceptionally(e);
        }
    }

    /** What still waits is not checked any more, and not answered either. */
    @Override
    public void close() {
        threads.shutdownNow();
    }
}
