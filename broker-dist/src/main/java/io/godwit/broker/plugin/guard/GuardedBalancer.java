package io.godwit.broker.plugin.guard;

import io.godwit.broker.plugin.context.Thrown;
import io.godwit.broker.plugin.instance.CircuitBreaker.Permit;
import io.godwit.broker.plugin.instance.HostedPlugin;
import io.godwit.broker.plugin.instance.PluginCallException;
import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.ClusterView;
import io.godwit.plugin.balance.RangeBalancer;
import io.godwit.plugin.event.PluginFault;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The balancer of a plugin. Failures are thrown, so that the balance loop skips it for a while; with an open breaker it
 * has no advice. Confined to the balance loop, whose thread may wait: it waits up to a second, and does not call again
 * while that call is under way.
 */
final class GuardedBalancer implements RangeBalancer {
    private static final long WAIT_MILLIS = 1_000;

    private final RangeBalancer balancer;
    private final HostedPlugin plugin;
    private final LongSupplier nanoClock;
    /** The call that was not answered in time; null for none. */
    private @Nullable FutureTask<Optional<BalanceAction>> overdue;

    GuardedBalancer(RangeBalancer balancer, HostedPlugin plugin, LongSupplier nanoClock) {
        this.balancer = balancer;
        this.plugin = plugin;
        this.nanoClock = nanoClock;
    }

    @Override
    public Optional<BalanceAction> next(ClusterView view) {
        FutureTask<Optional<BalanceAction>> before = overdue;
        if (before != null) {
            if (!before.isDone()) {
                return Optional.empty();
            }
            overdue = null;
            plugin.reports().fault(PluginFault.LATE_ANSWER, "next: its view was an old one");
        }
        Permit permit = plugin.breaker().ask();
        if (permit == Permit.NO) {
            return Optional.empty();
        }
        long began = nanoClock.getAsLong();
        try {
            Optional<BalanceAction> answer =
                    plugin.isInline() ? plugin.run(() -> balancer.next(view)) : elsewhere(view);
            if (answer == null) {
                throw failed(PluginFault.NULL_ANSWER, "null instead of an answer", permit, null);
            }
            plugin.breaker().succeeded(permit);
            return answer;
        } catch (PluginCallException e) {
            throw e;
        } catch (TimeoutException e) {
            throw failed(PluginFault.NO_ANSWER, "no answer in " + WAIT_MILLIS + " ms", permit, e);
        } catch (RejectedExecutionException e) {
            throw failed(PluginFault.TOO_MANY_CALLS, "its threads are taken", permit, e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw failed(PluginFault.THREW, "threw " + Thrown.text(cause), permit, cause);
        } catch (Throwable e) { // outermost frame of the plugin, which may throw anything
            throw failed(PluginFault.THREW, "threw " + Thrown.text(e), permit, e);
        } finally {
            plugin.reports().called(nanoClock.getAsLong() - began);
        }
    }

    private Optional<BalanceAction> elsewhere(ClusterView view) throws ExecutionException, TimeoutException {
        FutureTask<Optional<BalanceAction>> task = new FutureTask<>(() -> balancer.next(view));
        plugin.calls().execute(task);
        try {
            return task.get(WAIT_MILLIS, TimeUnit.MILLISECONDS); // an I/O thread, which may block
        } catch (TimeoutException e) {
            overdue = task;
            throw e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty(); // the node stops
        }
    }

    private PluginCallException failed(PluginFault fault, String detail, Permit permit, @Nullable Throwable cause) {
        plugin.reports().fault(fault, "next: " + detail);
        if (plugin.breaker().failed(permit)) {
            plugin.reports().fault(PluginFault.CIRCUIT_OPENED, "it is not asked for a while");
        }
        return new PluginCallException("plugin " + plugin.name() + ": " + detail, cause);
    }
}
