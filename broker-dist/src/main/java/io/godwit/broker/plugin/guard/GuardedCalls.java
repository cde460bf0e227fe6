package io.godwit.broker.plugin.guard;

import io.godwit.broker.plugin.context.Thrown;
import io.godwit.broker.plugin.instance.CircuitBreaker.Permit;
import io.godwit.broker.plugin.instance.HostedPlugin;
import io.godwit.broker.plugin.instance.PluginCallException;
import io.godwit.common.failure.Failures;
import io.godwit.plugin.event.PluginFault;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes the asynchronous calls of one plugin, on the plugin's threads or, if it does not block, on the caller's. Each
 * call ends once: by its answer, by a failure, or by its timeout. A later answer is only counted. Thread-safe.
 *
 * <p>The breaker counts only calls without an answer in time. An exception costs no time, and if it counted, a client
 * that can cause one could lock out all others. A flood of calls does not count against the plugin either: a call that
 * has not begun in time counts only if the plugin has answered no other call meanwhile.
 */
final class GuardedCalls {
    /** The default bound of unanswered calls of one plugin. */
    static final int MAX_OUTSTANDING = 10_000;

    private final HostedPlugin plugin;
    private final LongSupplier nanoClock;
    private final LongSupplier timeoutMillis;
    private final int mostOutstanding;
    /** Atomic: calls begin and end on any thread. */
    private final AtomicInteger outstanding = new AtomicInteger();
    /** Volatile: written by the threads that answer. */
    private volatile long answeredNanos;

    /** @param timeoutMillis the time limit of a call; may change */
    GuardedCalls(HostedPlugin plugin, LongSupplier nanoClock, LongSupplier timeoutMillis) {
        this(plugin, nanoClock, timeoutMillis, MAX_OUTSTANDING);
    }

    /** @param mostOutstanding bound of unanswered calls, up to {@link HostedPlugin#MAX_CALLS} */
    GuardedCalls(HostedPlugin plugin, LongSupplier nanoClock, LongSupplier timeoutMillis, int mostOutstanding) {
        this.mostOutstanding = mostOutstanding;
        this.plugin = plugin;
        this.nanoClock = nanoClock;
        this.timeoutMillis = timeoutMillis;
        this.answeredNanos = nanoClock.getAsLong();
    }

    int outstanding() {
        return outstanding.get();
    }

    /**
     * Makes a call. The future fails with {@link PluginCallException} if there is no answer, at the latest after the
     * timeout; it never yields null.
     *
     * @param what for messages
     * @param executor of the plugin; not used for a plugin that does not block
     */
    <T> CompletableFuture<T> ask(String what, Executor executor, Supplier<@Nullable CompletableFuture<T>> call) {
        Permit permit = plugin.breaker().ask();
        if (permit == Permit.NO) {
            return CompletableFuture.failedFuture(new PluginCallException.NotMade(
                    "plugin " + plugin.name() + " is not called for a while: it does not answer"));
        }
        Call<T> made = new Call<>(what, permit, call);
        if (outstanding.incrementAndGet() > mostOutstanding) {
            return made.refused();
        }
        if (plugin.isInline()) {
            return made.inline();
        }
        try {
            executor.execute(made);
        } catch (RejectedExecutionException e) {
            return made.refused();
        }
        return made.limited();
    }

    /** The failure of a call. */
    private static final class Failure extends PluginCallException {
        private static final long serialVersionUID = 1L;
        private final PluginFault fault;
        private final String detail;

        Failure(String plugin, PluginFault fault, String detail, @Nullable Throwable cause) {
            super("plugin " + plugin + ": " + detail, cause);
            this.fault = fault;
            this.detail = detail;
        }
    }

    private final class Call<T> implements Runnable {
        private final String what;
        private final Permit permit;
        /** Null once the call is over: behind a stuck thread calls stay queued, and must not keep their messages. */
        private volatile @Nullable Supplier<@Nullable CompletableFuture<T>> call;

        private final long beganNanos = nanoClock.getAsLong();
        private final CompletableFuture<T> answer = new CompletableFuture<>();
        /** Whether the call has begun. Volatile: written by a thread of the plugin. */
        private volatile boolean isBegun;

        Call(String what, Permit permit, Supplier<@Nullable CompletableFuture<T>> call) {
            this.what = what;
            this.permit = permit;
            this.call = call;
        }

        CompletableFuture<T> refused() {
            outstanding.decrementAndGet();
            fault(PluginFault.TOO_MANY_CALLS, mostOutstanding + " calls wait");
            if (permit == Permit.TRIAL) {
                broke();
            }
            return CompletableFuture.failedFuture(new PluginCallException.NotMade(
                    "plugin " + plugin.name() + " has too many calls that are not answered"));
        }

        CompletableFuture<T> inline() {
            make(task -> plugin.run(() -> {
                task.run();
                return true;
            }));
            return limited();
        }

        /** The answer, with the timeout. */
        CompletableFuture<T> limited() {
            if (!answer.isDone()) {
                answer.orTimeout(timeoutMillis.getAsLong(), TimeUnit.MILLISECONDS);
            } else if (!answer.isCompletedExceptionally()) {
                ended(null);
                return answer;
            }
            return answer.handle((value, failure) -> { // before the caller gets the answer
                ended(failure);
                if (failure == null) {
                    return value;
                }
                throw new CompletionException(
                        isBegun || !(failure instanceof TimeoutException)
                                ? failure
                                : new PluginCallException.NotMade(
                                        "plugin " + plugin.name() + " had no time for a call"));
            });
        }

        /** Runs on a thread of the plugin. */
        @Override
        public void run() {
            if (!answer.isDone()) {
                make(Runnable::run);
            }
        }

        private void make(Executor here) {
            isBegun = true;
            try {
                here.execute(this::call);
            } catch (Throwable e) { // outermost frame of the plugin, which may throw anything
                fails(PluginFault.THREW, "threw " + Thrown.text(e), e);
            }
        }

        private void call() {
            Supplier<@Nullable CompletableFuture<T>> made = call;
            if (made == null) {
                return; // its time is over
            }
            CompletableFuture<T> asked = made.get();
            if (asked == null) {
                fails(PluginFault.NULL_ANSWER, "null instead of a future", null);
                return;
            }
            asked.whenComplete((value, failure) -> {
                if (failure != null) {
                    fails(PluginFault.THREW, "failed with " + Thrown.text(Failures.cause(failure)), failure);
                } else if (value == null) {
                    fails(PluginFault.NULL_ANSWER, "null instead of an answer", null);
                } else if (!answer.complete(value)) {
                    late();
                }
            });
        }

        private void fails(PluginFault fault, String detail, @Nullable Throwable cause) {
            if (!answer.completeExceptionally(new Failure(plugin.name(), fault, detail, cause))) {
                late();
            }
        }

        private void late() {
            long millis = (nanoClock.getAsLong() - beganNanos) / 1_000_000;
            fault(PluginFault.LATE_ANSWER, "after " + millis + " ms");
        }

        private void ended(@Nullable Throwable failure) {
            call = null;
            outstanding.decrementAndGet();
            plugin.reports().called(nanoClock.getAsLong() - beganNanos);
            Throwable cause = failure == null ? null : Failures.cause(failure);
            if (cause instanceof Failure known) {
                fault(known.fault, known.detail);
            }
            if (!(cause instanceof TimeoutException)) {
                answeredNanos = nanoClock.getAsLong();
                plugin.breaker().succeeded(permit);
            } else if (isBegun || permit == Permit.TRIAL || answeredNanos - beganNanos < 0) {
                fault(PluginFault.NO_ANSWER, "no answer in " + timeoutMillis.getAsLong() + " ms");
                broke();
            } else {
                fault(PluginFault.TOO_MANY_CALLS, "a call waited " + timeoutMillis.getAsLong() + " ms for its turn");
            }
        }

        private void broke() {
            if (plugin.breaker().failed(permit)) {
                fault(PluginFault.CIRCUIT_OPENED, "it does not answer, and is not called for a while");
            }
        }

        private void fault(PluginFault fault, String detail) {
            plugin.reports().fault(fault, what + ": " + detail);
        }
    }
}
