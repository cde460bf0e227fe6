package io.godwit.broker.auth.login;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Has threads check logins, with turns for their sources ({@link WaitingLogins}). A login is refused without a check
 * when there is no place for it, when it gives way to another source, and when it has waited too long. Any thread.
 *
 * @param <R> the result of a check
 */
public final class LoginTurns<R> {
    private final Executor threads;
    private final WaitingLogins<Login> waiting;
    private final long patienceNanos;
    private final LongSupplier nanoTime;
    private final R full;
    private final R late;

    /**
     * @param threads get one task per waiting login
     * @param places the number of logins that may wait, at least 1
     * @param patience how long a login may wait before it is refused
     * @param full the result of a login without a place
     * @param late the result of a login that has waited too long
     */
    public LoginTurns(Executor threads, int places, Duration patience, LongSupplier nanoTime, R full, R late) {
        this.threads = threads;
        this.waiting = new WaitingLogins<>(places);
        this.patienceNanos = patience.toNanos();
        this.nanoTime = nanoTime;
        this.full = full;
        this.late = late;
    }

    /**
     * Runs {@code check} on one of the threads. The future completes there, exceptionally if {@code check} throws.
     *
     * @param source the source of the login, see {@link LoginSource}
     */
    public CompletableFuture<R> submit(long source, Supplier<R> check) {
        Login login = new Login(check, nanoTime.getAsLong());
        Login refused = waiting.add(source, login);
        if (refused == null) {
            try {
                threads.execute(this::runNext);
            } catch (RejectedExecutionException e) { // one login is without a task now
                refused = waiting.next();
            }
        } // otherwise the threads still have a task for every other login
        if (refused != null) {
            refused.result.complete(full);
        }
        return login.result;
    }

    /** A right password or token came from {@code source}. */
    public void proved(long source) {
        waiting.proved(source);
    }

    private void runNext() {
        Login login = waiting.next();
        if (login != null) {
            login.run();
        }
    }

    private final class Login {
        private final Supplier<R> check;
        private final long submitted;
        private final CompletableFuture<R> result = new CompletableFuture<>();

        private Login(Supplier<R> check, long submitted) {
            this.check = check;
            this.submitted = submitted;
        }

        private void run() {
            if (nanoTime.getAsLong() - submitted > patienceNanos) {
                result.complete(late);
                return;
            }
            try {
                result.complete(check.get());
            } catch (RuntimeException | Error e) { // outermost frame; the waiting client gets the failure
                result.completeExceptionally(e);
            }
        }
    }
}
