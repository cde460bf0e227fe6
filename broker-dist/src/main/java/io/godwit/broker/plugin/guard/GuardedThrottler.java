package io.godwit.broker.plugin.guard;

import io.godwit.broker.plugin.instance.HostedPlugin;
import io.godwit.plugin.throttle.ResourceThrottler;
import io.godwit.plugin.throttle.TenantLimits;
import io.godwit.plugin.throttle.TenantUsage;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The throttler of a plugin, behind {@link GuardedCalls}: a missing answer is a failed future. Thread-safe. */
final class GuardedThrottler implements ResourceThrottler {
    private static final Logger LOG = LoggerFactory.getLogger(GuardedThrottler.class);

    private final ResourceThrottler throttler;
    private final HostedPlugin plugin;
    private final GuardedCalls calls;

    GuardedThrottler(ResourceThrottler throttler, HostedPlugin plugin, GuardedCalls calls) {
        this.throttler = throttler;
        this.plugin = plugin;
        this.calls = calls;
    }

    @Override
    public CompletableFuture<TenantLimits> limits(TenantUsage usage) {
        return calls.ask("limits", plugin.calls(), () -> throttler.limits(usage))
                .thenApply(TenantLimits.class::cast); // checks the type, since the plugin may use raw types
    }

    /** Blocks for a limited time. */
    @Override
    public void close() {
        try {
            plugin.bounded("close", plugin.limits().stop(), () -> {
                throttler.close();
                return "";
            });
        } catch (IOException e) {
            LOG.warn("throttler not closed cleanly plugin={}", plugin.name(), e);
        }
    }
}
