package io.godwit.broker.auth;

import io.godwit.plugin.auth.AuthStep;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.RefusalReason;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The threads that compute password hashes: few, with a bounded queue, so that a flood of logins costs neither event
 * loops nor memory. Sources are served in turn. A login is refused as busy, without computing, if the queue is full, if
 * it has to give way to another source, or if it has waited longer than clients wait.
 */
final class PasswordPool implements AutoCloseable {
    private static final ConnectResult FULL = new ConnectResult.Refused(
            RefusalReason.BUSY, "too many passwords, or too many of this source, wait to be checked");
    private static final ConnectResult LATE =
            new ConnectResult.Refused(RefusalReason.BUSY, "the password was not checked in time");

    /** Has one task per waiting login. */
    private final ThreadPoolExecutor threads;

    private final WaitingLogins<Login> waiting;
    private final long patienceNanos;
    private final LongSupplier nanoTime;

    /**
     * @param count the number of threads, at least 1
     * @param maxWaiting at least 1
     * @param patience how long a login may wait before it is refused
     */
    PasswordPool(int count, int maxWaiting, Duration patience, LongSupplier nanoTime) {
        this.patienceNanos = patience.toNanos();
        this.nanoTime = nanoTime;
        this.waiting = new WaitingLogins<>(maxWaiting);
        AtomicInteger number = new AtomicInteger();
        threads = new ThreadPoolExecutor(count, count, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(), task -> {
            Thread thread = new Thread(task, "password-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        threads.allowCoreThreadTimeOut(true);
    }

    /**
     * Runs {@code check} on one of the threads. The future completes there, exceptionally if {@code check} throws.
     *
     * @param source the source of the login, see {@link LoginSource}
     */
    CompletableFuture<ConnectResult> submit(long source, Supplier<ConnectResult> check) {
        return submitStep(source, check::get).thenApply(ConnectResult.class::cast);
    }

    /** {@link #submit} for a step of an exchange. */
    CompletableFuture<AuthStep> submitStep(long source, Supplier<AuthStep> check) {
        Login login = new Login(source, check, nanoTime.getAsLong());
        Login refused = waiting.add(source, login);
        if (refused == null) {
            try {
                threads.execute(this::runNext);
            } catch (RejectedExecutionException e) { // the pool is closed
                login.result.complete(FULL);
            }
        } else { // the queue still has a task for every other login
            refused.result.complete(FULL);
        }
        return login.result;
    }

    /** A login with the right password came from {@code source}. */
    void proved(long source) {
        waiting.proved(source);
    }

    private void runNext() {
        Login login = waiting.next();
        if (login != null) {
            login.run();
        }
    }

    private final class Login {
        private final long source;
        private final Supplier<AuthStep> check;
        private final long submitted;
        private final CompletableFuture<AuthStep> result = new CompletableFuture<>();

        Login(long source, Supplier<AuthStep> check, long submitted) {
            this.source = source;
            this.check = check;
            this.submitted = submitted;
        }

        void run() {
            if (nanoTime.getAsLong() - submitted > patienceNanos) {
                result.complete(LATE);
                return;
            }
            try {
                AuthStep checked = check.get();
                if (checked instanceof ConnectResult.Accepted) {
                    waiting.proved(source);
                }
                result.complete(checked);
            } catch (RuntimeException | Error e) { // outermost frame; the waiting client gets the failure
                result.completeExceptionally(e);
            }
        }
    }

    /** Waiting logins are neither checked nor answered. */
    @Override
    public void close() {
        threads.shutdownNow();
    }
}
