package io.godwit.broker.effective;

import io.godwit.broker.config.ConfigException;
import io.godwit.broker.settings.OverflowPolicy;
import io.godwit.broker.settings.tenant.TenantSection;
import io.godwit.broker.settings.tenant.UnnamedTenant;
import io.godwit.broker.tenants.TenantFile;
import io.godwit.inbox.InboxConfig.DropPolicy;
import io.godwit.inbox.TenantQueue;
import io.godwit.mqtt.tenant.TenantConfig;
import io.godwit.mqtt.tenant.TenantSource;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.tenant.TenantChanges;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.tenant.TenantSettings;
import io.godwit.plugin.tenant.TenantSettingsProvider;
import io.godwit.plugin.tenant.TenantSettingsProviderFactory;
import io.godwit.plugin.throttle.ResourceThrottler;
import io.godwit.plugin.throttle.ResourceThrottlerFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Makes the settings of tenants from a configuration. */
public final class TenantsOf {
    private TenantsOf() {}

    static TenantConfig naming(BrokerConfig config) {
        TenantSection section = config.tenants();
        return new TenantConfig(
                section.sources(),
                section.sourcesMustAgree(),
                section.unnamed() == UnnamedTenant.REFUSE,
                section.unknown(),
                section.userNameSeparator(),
                section.sniDomain(),
                section.certificatePart(),
                section.certificatePattern().isEmpty() ? null : Pattern.compile(section.certificatePattern()));
    }

    /** The file of the tenants; null for none. */
    public static @Nullable Path file(BrokerConfig config) {
        return config.file(config.tenants().file());
    }

    /** @return one line per error, naming its key */
    public static List<String> errors(BrokerConfig config) {
        List<String> errors = new ArrayList<>();
        List<TenantSource> sources = config.tenants().sources();
        config.listeners().stream()
                .filter(section -> !section.keys().tenant().isEmpty() && !sources.contains(TenantSource.LISTENER))
                .forEach(section ->
                        errors.add(section.path() + ".tenant: has no effect unless tenantConfig.sources has listener"));
        boolean hasTls = config.listeners().stream()
                .anyMatch(section -> section.isEnabled() && section.kind().hasTls());
        for (TenantSource source : List.of(TenantSource.SNI, TenantSource.CERTIFICATE)) {
            if (sources.contains(source) && !hasTls) {
                errors.add("tenantConfig.sources: sni and certificate need a listener with TLS");
                break;
            }
        }
        return errors;
    }

    /**
     * Reads the file of the tenants, if there is one. Blocks.
     *
     * @throws IOException with one line per mistake
     */
    public static void check(BrokerConfig config) throws IOException {
        Path file = file(config);
        if (file != null) {
            try {
                TenantFile.read(file);
            } catch (ConfigException e) {
                throw new IOException(e.getMessage(), e);
            }
        }
    }

    /**
     * Finds the provider of tenants' settings, but creates none; null if none is configured.
     *
     * @throws IOException naming the missing plugin
     */
    public static @Nullable TenantSettingsProviderFactory provider(BrokerConfig config, PluginLoader plugins)
            throws IOException {
        String name = config.tenants().settingsProvider();
        return name.isEmpty()
                ? null
                : plugins.find(
                        "tenantConfig.settingsProvider",
                        name,
                        TenantSettingsProviderFactory.class,
                        TenantSettingsProviderFactory::name,
                        List.of());
    }

    /**
     * Finds and creates the throttler of tenants; null if none is configured. Blocks.
     *
     * @throws IOException naming the throttler and the problem
     */
    @SuppressWarnings("CatchingUnchecked") // outermost frame of the plugin
    public static @Nullable ResourceThrottler throttler(BrokerConfig config, PluginLoader plugins) throws IOException {
        ResourceThrottlerFactory factory = throttlers(config, plugins);
        try {
            return factory == null ? null : factory.create();
        } catch (Exception | LinkageError e) {
            throw new IOException("the throttler " + config.tenants().resourceThrottler() + " does not start: " + e, e);
        }
    }

    /**
     * Finds the factory of the throttler; null if none is configured. Blocks.
     *
     * @throws IOException naming the throttler, if there is none of this name
     */
    public static @Nullable ResourceThrottlerFactory throttlers(BrokerConfig config, PluginLoader plugins)
            throws IOException {
        String name = config.tenants().resourceThrottler();
        return name.isEmpty()
                ? null
                : plugins.find(
                        "tenantConfig.resourceThrottler",
                        name,
                        ResourceThrottlerFactory.class,
                        ResourceThrottlerFactory::name,
                        List.of());
    }

    /** Whether stored sessions of tenants are counted: for possible quotas, or for meters. */
    public static boolean countSessions(BrokerConfig config) {
        TenantSection section = config.tenants();
        return mayHaveSettings(config) || !section.resourceThrottler().isEmpty() || section.maxMeteredTenants() > 0;
    }

    private static boolean mayHaveSettings(BrokerConfig config) {
        TenantSection section = config.tenants();
        return !section.file().isEmpty() || !section.settingsProvider().isEmpty();
    }

    /** Whether tenants may get their own figures below {@code $SYS}. */
    public static boolean mayHaveFigures(BrokerConfig config) {
        return mayHaveSettings(config) && config.topics().sysIntervalSeconds() > 0;
    }

    /** The tenants named by listeners. */
    public static Set<TenantId> ofListeners(BrokerConfig config) {
        return config.listeners().stream()
                .flatMap(section -> TenantId.parse(section.keys().tenant()).stream())
                .collect(Collectors.toSet());
    }

    /**
     * Creates a provider. Blocks.
     *
     * @throws IOException naming the provider and its exception
     */
    @SuppressWarnings("CatchingUnchecked") // outermost frame of the plugin
    public static TenantSettingsProvider create(TenantSettingsProviderFactory factory, TenantChanges changes)
            throws IOException {
        try {
            return factory.create(changes);
        } catch (Exception | LinkageError e) {
            throw new IOException("the provider of tenants' settings " + factory.name() + " does not start: " + e, e);
        }
    }

    /** The queue of a tenant with settings; those that are not set have the values of the node. */
    public static TenantQueue queue(TenantSettings settings, BrokerConfig config) {
        boolean dropsOldest = settings.get(TenantSetting.OVERFLOW_POLICY)
                        .orElse(config.sessions().overflowPolicy() == OverflowPolicy.DROP_OLDEST ? 1 : 0)
                != 0;
        boolean queuesQos0 =
                settings.get(TenantSetting.QUEUE_QOS0).orElse(config.sessions().queueQos0() ? 1 : 0) != 0;
        long ofTenant = settings.get(TenantSetting.MAX_TENANT_QUEUED_BYTES).orElse(0);
        return new TenantQueue(
                (int) settings.get(TenantSetting.MAX_QUEUED_MESSAGES)
                        .orElse(config.sessions().maxQueuedMessages()),
                dropsOldest ? DropPolicy.OLDEST : DropPolicy.NEWEST,
                queuesQos0,
                ofTenant == 0 ? Long.MAX_VALUE : ofTenant);
    }
}
