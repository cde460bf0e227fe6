package io.godwit.broker.start;

import io.godwit.broker.config.ConfigException;
import io.godwit.broker.effective.BrokerConfig;
import io.godwit.broker.effective.TenantsOf;
import io.godwit.broker.store.DelayedQuota;
import io.godwit.broker.sys.SysTopics;
import io.godwit.broker.sys.TenantSysValues;
import io.godwit.broker.tenants.ProvidedTenants;
import io.godwit.broker.tenants.TenantFileWatch;
import io.godwit.broker.tenants.TenantLimiter;
import io.godwit.broker.tenants.UsageExchange;
import io.godwit.inbox.InboxStore;
import io.godwit.mqtt.MqttServer;
import io.godwit.mqtt.quota.TenantMeters;
import io.godwit.mqtt.tenant.Tenants;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.tenant.TenantSettingsProvider;
import io.godwit.plugin.tenant.TenantSettingsProviderFactory;
import io.godwit.plugin.throttle.ResourceThrottler;
import io.godwit.plugin.throttle.TenantResource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The tenants of a {@code Broker}: their meters, their settings from a file and a provider, and their limits over all
 * nodes. Opened before the listeners. Used by the starting thread.
 */
public final class TenantParts {
    private final StartContext context;
    private final BrokerConfig config;
    private final MqttStores stores;
    private final MqttServer server;
    private final boolean tellsTenants;
    private final NodeHoldings holdings;
    private final TenantMeters counted;

    TenantParts(StartContext context, MqttStores stores, MqttServer server) {
        this.context = context;
        this.config = context.config();
        this.stores = stores;
        this.server = server;
        this.tellsTenants = TenantsOf.mayHaveFigures(config);
        this.holdings = new NodeHoldings(stores.dist(), stores.inboxes(), stores.retain());
        Tenants tenants = server.tenants();
        Set<TenantId> ofListeners = TenantsOf.ofListeners(config);
        this.counted = new TenantMeters(
                config.tenants().maxMeteredTenants(),
                tenant -> tenant.equals(TenantId.DEFAULT) || ofListeners.contains(tenant) || tenants.isListed(tenant),
                tenant -> tellsTenants && tenants.has(tenant, TenantSetting.SYS_TOPICS),
                tenants.accounts(),
                holdings,
                context.reporting().meters());
    }

    /** @throws IOException naming the mistake in the file, or the provider that does not start */
    void open(StartedPlugins plugins) throws IOException {
        count();
        readSettings(plugins.tenantProvider());
        limit(plugins.throttler());
    }

    /** Called before the settings of tenants are read, since those decide which tenants are counted. */
    private void count() {
        if (tellsTenants || config.tenants().maxMeteredTenants() > 0) { // otherwise it would cost time for nothing
            server.tenants().accounts().countedBy(counted);
            stores.inboxes().onDrop(counted::dropped);
        }
    }

    /** Called before the listeners open: the settings of a tenant apply from its first connection on. */
    private void readSettings(@Nullable TenantSettingsProviderFactory factory) throws IOException {
        InboxStore inbox = stores.inboxes();
        ProvidedTenants tenants = new ProvidedTenants((tenant, settings) -> {
            inbox.bound(tenant, settings == null ? null : TenantsOf.queue(settings, config));
            server.tenants().say(tenant, settings);
        });
        OpenedParts opened = context.opened();
        if (factory != null) {
            TenantSettingsProvider provider = TenantsOf.create(factory, tenants);
            opened.push(provider);
            opened.push(tenants);
            tenants.ask(provider);
            server.tenants().ask(tenants::known);
        }
        Path file = TenantsOf.file(config);
        if (file == null) {
            return;
        }
        TenantFileWatch watch =
                new TenantFileWatch(file, tenants::ofFile, context.reporting().status()::tenants);
        opened.push(watch);
        try {
            watch.start();
        } catch (ConfigException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Other nodes may ask for the usage of tenants here, so the exchange runs without quotas too. */
    private void limit(@Nullable ResourceThrottler throttler) {
        OpenedParts opened = context.opened();
        UsageExchange exchange = new UsageExchange(stores.nodes(), System::nanoTime);
        opened.push(exchange);
        stores.node().cluster().ifPresent(cluster -> cluster.server().add(exchange.service()));
        server.tenants().accounts().holdings(holdings);
        TenantLimiter limiter = new TenantLimiter(server.tenants().accounts(), throttler, exchange, System::nanoTime);
        opened.push(limiter);
        limiter.bound(holdings);
        stores.delayedRoom().limitedBy(new QuotaOfTenants(server));
        limiter.start();
        if (throttler != null) {
            server.tenants().ask(limiter::known);
        }
    }

    /** The quotas of delayed messages. Any thread. */
    private record QuotaOfTenants(MqttServer server) implements DelayedQuota {
        @Override
        public long most(TenantId tenant) {
            return server.tenants().accounts().most(tenant, TenantResource.DELAYED_MESSAGES);
        }

        @Override
        public void reached(ClientInfo publisher, long most) {
            server.tenantLimitReached(publisher, TenantResource.DELAYED_MESSAGES, most);
        }
    }

    /** The {@code $SYS} topics of tenants other than the default one. */
    SysTopics.OfTenants sysValues() {
        return tellsTenants
                ? new TenantSysValues(
                        () -> server.tenants().with(TenantSetting.SYS_TOPICS),
                        server.tenants().accounts(),
                        counted,
                        holdings)
                : Map::of;
    }
}
