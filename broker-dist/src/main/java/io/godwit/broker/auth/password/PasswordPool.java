package io.godwit.broker.auth.password;

import io.godwit.broker.auth.login.LoginTurns;
import io.godwit.plugin.auth.AuthStep;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.RefusalReason;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
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
public final class PasswordPool implements AutoCloseable {
    private static final ConnectResult FULL = new ConnectResult.Refused(
            RefusalReason.BUSY, "too many passwords, or too many of this source, wait to be checked");
    private static final ConnectResult LATE =
            new ConnectResult.Refused(RefusalReason.BUSY, "the password was not checked in time");

    /** Has one task per waiting login. */
    private final ThreadPoolExecutor threads;

    private final LoginTurns<AuthStep> turns;

    /**
     * @param count the number of threads, at least 1
     * @param maxWaiting at least 1
     * @param patience how long a login may wait before it is refused
     */
    public PasswordPool(int count, int maxWaiting, Duration patience, LongSupplier nanoTime) {
        AtomicInteger number = new AtomicInteger();
        threads = new ThreadPoolExecutor(count, count, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(), task -> {
            Thread thread = new Thread(task, "password-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        threads.allowCoreThreadTimeOut(true);
        turns = new LoginTurns<>(threads, maxWaiting, patience, nanoTime, FULL, LATE);
    }

    /**
     * Runs {@code check} on one of the threads. The future completes there, exceptionally if {@code check} throws.
     *
     * @param source the source of the login, see {@link io.godwit.broker.auth.login.LoginSource}
     */
    public CompletableFuture<ConnectResult> submit(long source, Supplier<ConnectResult> check) {
        return submitStep(source, check::get).thenApply(ConnectResult.class::cast);
    }

    /** {@link #submit} for a step of an exchange. */
    public CompletableFuture<AuthStep> submitStep(long source, Supplier<AuthStep> check) {
        return turns.submit(source, () -> {
            AuthStep checked = check.get();
            if (checked instanceof ConnectResult.Accepted) {
                turns.proved(source);
            }
            return checked;
        });
    }

    /** A login with the right password came from {@code source}. */
    public void proved(long source) {
        turns.proved(source);
    }

    /** Waiting logins are neither checked nor answered. */
    @Override
    public void close() {
        threads.shutdownNow();
    }
}
