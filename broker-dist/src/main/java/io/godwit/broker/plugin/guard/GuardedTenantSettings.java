package io.godwit.broker.plugin.guard;

import io.godwit.broker.plugin.instance.HostedPlugin;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.tenant.TenantSettings;
import io.godwit.plugin.tenant.TenantSettingsProvider;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The settings provider of a plugin, behind {@link GuardedCalls}: a missing answer is a failed future. Thread-safe. */
final class GuardedTenantSettings implements TenantSettingsProvider {
    private static final Logger LOG = LoggerFactory.getLogger(GuardedTenantSettings.class);

    private final TenantSettingsProvider provider;
    private final HostedPlugin plugin;
    private final GuardedCalls calls;

    GuardedTenantSettings(TenantSettingsProvider provider, HostedPlugin plugin, GuardedCalls calls) {
        this.provider = provider;
        this.plugin = plugin;
        this.calls = calls;
    }

    @Override
    public CompletableFuture<Optional<TenantSettings>> settings(TenantId tenant) {
        return calls.ask("settings", plugin.calls(), () -> provider.settings(tenant))
                .thenApply(found -> found.map(TenantSettings.class::cast)); // the plugin may use raw types
    }

    @Override
    public void close() {
        try {
            plugin.bounded("close", plugin.limits().stop(), () -> {
                provider.close();
                return "";
            });
        } catch (IOException e) {
            LOG.warn("plugin not closed cleanly plugin={}", plugin.name(), e);
        }
    }
}
