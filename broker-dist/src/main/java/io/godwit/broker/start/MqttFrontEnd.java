package io.godwit.broker.start;

import io.godwit.broker.cluster.MqttCluster;
import io.godwit.broker.effective.BrokerConfig;
import io.godwit.broker.effective.BrokerSettings;
import io.godwit.broker.effective.ClusterSettings;
import io.godwit.broker.effective.TenantsOf;
import io.godwit.broker.messages.OperatorPublisher;
import io.godwit.broker.redirect.LoadExchange;
import io.godwit.broker.redirect.Placements;
import io.godwit.broker.release.Release;
import io.godwit.broker.report.Reporting;
import io.godwit.broker.settings.cluster.OlderClients;
import io.godwit.broker.sys.NodeRetained;
import io.godwit.broker.sys.SysTopics;
import io.godwit.broker.sys.SysValues;
import io.godwit.inbox.client.SessionDirectory;
import io.godwit.inbox.session.NodeSessionDirectory;
import io.godwit.mqtt.MqttServer;
import io.godwit.mqtt.intercept.Interceptors;
import io.godwit.mqtt.session.core.SessionStores;
import io.godwit.mqtt.transport.Listener;
import io.godwit.mqtt.transport.report.ReportTargets;
import io.godwit.plugin.redirect.ClientBalancer;
import io.godwit.retain.client.RetainClient;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The MQTT server of a {@code Broker} with what it needs besides the stores: the directory of client ids, the placement
 * of clients, the tenants and the {@code $SYS} topics. Used by the starting thread; the parts it returns have their own
 * rules.
 *
 * <p>In the order of the start: {@link #open} - {@link #startSysTopics} when this node may acknowledge -
 * {@link #publishForOperators} - {@link #listen}.
 */
public final class MqttFrontEnd {
    private final StartContext context;
    private final BrokerConfig config;
    private final MqttStores stores;
    private final StartedPlugins plugins;
    private final SessionDirectory directory;
    /** The retained messages with those of this node alone; null if it has none. */
    private final @Nullable NodeRetained own;

    private final BrokerSettings.Topics topics;
    private final MqttServer server;

    public MqttFrontEnd(StartContext context, MqttStores stores, StartedPlugins plugins, Interceptors interceptors) {
        this.context = context;
        this.config = context.config();
        this.stores = stores;
        this.plugins = plugins;
        MqttCluster others = stores.others();
        this.directory = others == null ? new NodeSessionDirectory() : others.directory();
        boolean tellsTenants = TenantsOf.mayHaveFigures(config);
        this.own = others == null && !tellsTenants
                ? null
                : new NodeRetained(stores.retain().client(), tellsTenants);
        this.topics = BrokerSettings.topics(config);
        Reporting reporting = context.reporting();
        this.server = new MqttServer(
                BrokerSettings.mqtt(config, context.io()),
                new SessionStores(
                        stores.dist().client(), stores.inbox(), retained(), others == null ? null : directory),
                directory,
                plugins.auth(),
                new ReportTargets(reporting.events(), reporting.meters(), reporting.tracing()),
                stores.clock()::millis);
        if (!config.mqtt().serverReference().isEmpty()) {
            server.referTo(config.mqtt().serverReference());
        }
        server.intercept(interceptors);
    }

    /**
     * Opens everything but the listeners.
     *
     * @return the tenants of the server
     */
    public TenantParts open() throws IOException {
        placeClients();
        stores.deliverTo(server);
        context.opened().push(server);
        TenantParts tenants = new TenantParts(context, stores, server);
        tenants.open(plugins);
        return tenants;
    }

    /** Other nodes may ask for the number of clients here, so the exchange runs without a balancer too. */
    private void placeClients() {
        LoadExchange loads = new LoadExchange(
                stores.nodes(),
                config.redirects().serverReference(),
                server::connections,
                context.serving()::takesClients,
                System::nanoTime);
        context.opened().push(loads);
        stores.node().cluster().ifPresent(cluster -> cluster.server().add(loads.service()));
        ClientBalancer placing = plugins.placing();
        if (placing != null) {
            loads.start();
            boolean refusesOlder = config.redirects().olderClients() == OlderClients.REFUSE;
            server.placeClients(new Placements(placing, refusesOlder, loads::loads));
        }
    }

    public void startSysTopics(TenantParts tenants) {
        SysTopics sys = new SysTopics(
                stores.dist().client()::publisher,
                stores.retain().client(),
                own,
                new SysValues(context.reporting().meters(), "Godwit " + Release.version(), System::nanoTime),
                tenants.sysValues(),
                Duration.ofSeconds(config.topics().sysIntervalSeconds()),
                System::currentTimeMillis);
        context.opened().push(sys);
        sys.start();
    }

    /** Called just before the listeners open. */
    public void publishForOperators() {
        OperatorPublisher publisher = new OperatorPublisher(
                stores.dist().client()::publisher,
                stores.retain().client(),
                (client, message) -> server.operatorIntake().admit(client, message),
                topics.limits(),
                topics.rules(),
                ClusterSettings.largestPacket(config),
                stores.clock()::millis);
        context.ports().publisher.set(publisher);
        context.ports().pluginPublisher.set(publisher.ofPlugins());
    }

    /** Opens the listeners. */
    public List<Listener> listen() throws IOException {
        return server.start();
    }

    public MqttServer server() {
        return server;
    }

    public SessionDirectory directory() {
        return directory;
    }

    /** The retained messages that clients of this node see. */
    RetainClient retained() {
        return own == null ? stores.retain().client() : own;
    }

    BrokerSettings.Topics topics() {
        return topics;
    }
}
