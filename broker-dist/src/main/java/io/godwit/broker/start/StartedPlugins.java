package io.godwit.broker.start;

import io.godwit.broker.auth.AuthFileReports;
import io.godwit.broker.effective.AuthProviders;
import io.godwit.broker.effective.BalanceSettings;
import io.godwit.broker.effective.BrokerConfig;
import io.godwit.broker.effective.OtlpSettings;
import io.godwit.broker.effective.PluginLoader;
import io.godwit.broker.effective.RedirectSettings;
import io.godwit.broker.effective.SubBrokerSettings;
import io.godwit.broker.effective.TenantsOf;
import io.godwit.broker.effective.UsedPlugins;
import io.godwit.broker.plugin.PluginFiles;
import io.godwit.broker.plugin.PluginHost;
import io.godwit.broker.plugin.context.BrokerServices;
import io.godwit.broker.report.Reporting;
import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.redirect.ClientBalancer;
import io.godwit.plugin.sub.SubBroker;
import io.godwit.plugin.tenant.TenantSettingsProviderFactory;
import io.godwit.plugin.throttle.ResourceThrottler;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The plugins of a {@code Broker}, which it opens before it claims the data directory. What checks the configuration
 * against them is checked here too. Event listeners, interceptors and the provider of tenants' settings are only found:
 * later steps create them.
 *
 * @param auth with its files
 * @param placing null unless clients are placed
 * @param subBrokers by name, in the order of the configuration
 * @param tenantProvider null if none is configured
 * @param throttler null if none is configured
 */
public record StartedPlugins(
        PluginLoader loader,
        AuthProvider auth,
        UsedPlugins used,
        @Nullable ClientBalancer placing,
        Map<String, SubBroker> subBrokers,
        @Nullable TenantSettingsProviderFactory tenantProvider,
        @Nullable ResourceThrottler throttler) {

    /** The host of all plugins, before any is loaded. */
    public static PluginHost host(StartContext context) {
        BrokerConfig config = context.config();
        Reporting reporting = context.reporting();
        ServedPorts ports = context.ports();
        return new PluginHost(
                new PluginFiles(
                        config.plugins(), config.directory(), context.data().resolve("plugins")),
                Duration.ofSeconds(config.auth().timeoutSeconds()),
                reporting.events(),
                reporting.meters(),
                System::nanoTime,
                new BrokerServices(ports.clients, ports.pluginPublisher, ports.sessions),
                reporting.status()::plugins);
    }

    /**
     * Blocks.
     *
     * @param directory of the plugins; may be missing
     * @throws IOException naming a plugin that is missing or does not start, or a wrong setting
     */
    public static StartedPlugins open(PluginHost host, Path directory, StartContext context) throws IOException {
        BrokerConfig config = context.config();
        Reporting reporting = context.reporting();
        OpenedParts opened = context.opened();
        PluginLoader plugins = PluginLoader.open(directory, host);
        opened.push(plugins);
        opened.push(host);
        BalanceSettings.check(config, plugins);
        OtlpSettings.check(config);
        host.subBrokerTimeout(Duration.ofSeconds(config.subBrokers().timeoutSeconds()));
        host.redirectTimeout(Duration.ofMillis(config.redirects().timeoutMillis()));
        TenantsOf.check(config);
        AuthProvider auth =
                AuthProviders.open(config, plugins, new AuthFileReports(reporting.events(), reporting.meters()));
        opened.push(auth);
        UsedPlugins used = UsedPlugins.find(config, plugins);
        ClientBalancer placing = RedirectSettings.isOn(config) ? RedirectSettings.open(config, plugins) : null;
        if (placing != null) {
            opened.push(placing);
        }
        Map<String, SubBroker> subBrokers = SubBrokerSettings.open(config, plugins);
        subBrokers.values().forEach(opened::push);
        TenantSettingsProviderFactory tenantProvider = TenantsOf.provider(config, plugins);
        ResourceThrottler throttler = TenantsOf.throttler(config, plugins);
        if (throttler != null) {
            opened.push(throttler);
        }
        plugins.checkSections();
        return new StartedPlugins(plugins, auth, used, placing, subBrokers, tenantProvider, throttler);
    }
}
