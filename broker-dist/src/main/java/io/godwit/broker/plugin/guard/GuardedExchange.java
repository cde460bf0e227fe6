package io.godwit.broker.plugin.guard;

import io.godwit.broker.plugin.context.Thrown;
import io.godwit.broker.plugin.instance.HostedPlugin;
import io.godwit.mqtt.auth.ClientDecisions;
import io.godwit.plugin.auth.AuthExchange;
import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.auth.AuthStep;
import io.godwit.plugin.auth.ExchangeRequest;
import io.godwit.plugin.event.PluginFault;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * One extended authentication by a plugin's provider, which begins with the first data. Calls are made one at a time,
 * as {@link AuthExchange} requires, even while an earlier one blocks.
 */
final class GuardedExchange implements AuthExchange {
    /** Enough, since calls come one after the other, and then the end. */
    private static final int MAX_WAITING = 4;

    private final HostedPlugin plugin;
    private final GuardedCalls calls;
    private final AuthProvider provider;
    private final ExchangeRequest request;
    private final OneByOne inTurn;

    // used by one call at a time
    private boolean hasBegun;
    private @Nullable AuthExchange exchange;

    GuardedExchange(HostedPlugin plugin, GuardedCalls calls, AuthProvider provider, ExchangeRequest request) {
        this.plugin = plugin;
        this.calls = calls;
        this.provider = provider;
        this.request = request;
        this.inTurn = new OneByOne(plugin.calls(), MAX_WAITING);
    }

    @Override
    public CompletableFuture<AuthStep> onData(byte[] data) {
        return calls.ask("exchange", inTurn, () -> step(data));
    }

    private synchronized @Nullable CompletableFuture<AuthStep> step(byte[] data) {
        if (!hasBegun) {
            hasBegun = true;
            exchange = provider.exchange(request);
        }
        return exchange == null
                ? CompletableFuture.completedFuture(ClientDecisions.UNKNOWN_METHOD)
                : exchange.onData(data);
    }

    @Override
    public void close() {
        if (plugin.isInline()) {
            plugin.run(() -> {
                end();
                return true;
            });
            return;
        }
        try {
            inTurn.execute(this::end);
        } catch (RejectedExecutionException e) {
            plugin.reports().fault(PluginFault.TOO_MANY_CALLS, "exchange: not told that it is over");
        }
    }

    private synchronized void end() {
        AuthExchange begun = exchange;
        exchange = null;
        if (begun == null) {
            return;
        }
        try {
            begun.close();
        } catch (Throwable e) { // outermost frame of the plugin, which may throw anything
            plugin.reports().fault(PluginFault.THREW, "exchange: close threw " + Thrown.text(e));
        }
    }
}
