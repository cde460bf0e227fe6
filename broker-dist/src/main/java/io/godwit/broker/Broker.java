package io.godwit.broker;

import io.godwit.api.port.WebSocketSource.WebSocketListener;
import io.godwit.api.port.client.ClientAdmin;
import io.godwit.api.port.client.SessionAdmin;
import io.godwit.api.port.client.SubscriptionAdmin;
import io.godwit.api.port.figure.StatsSource;
import io.godwit.broker.api.LogbackAudit;
import io.godwit.broker.cluster.MqttCluster;
import io.godwit.broker.effective.BalanceSettings;
import io.godwit.broker.effective.BrokerConfig;
import io.godwit.broker.effective.BrokerSettings;
import io.godwit.broker.effective.OtherReaders;
import io.godwit.broker.effective.OtlpSettings;
import io.godwit.broker.effective.RedirectSettings;
import io.godwit.broker.metrics.ApiMeters;
import io.godwit.broker.metrics.BrokerMeters;
import io.godwit.broker.metrics.OtlpPush;
import io.godwit.broker.plugin.PluginHost;
import io.godwit.broker.records.OperatorTokens;
import io.godwit.broker.report.Reporting;
import io.godwit.broker.report.StatusFile;
import io.godwit.broker.report.StoreReports;
import io.godwit.broker.start.BrokerApi;
import io.godwit.broker.start.BrokerFacts;
import io.godwit.broker.start.MqttFrontEnd;
import io.godwit.broker.start.MqttStores;
import io.godwit.broker.start.OpenedParts;
import io.godwit.broker.start.OperatorParts;
import io.godwit.broker.start.ServedPorts;
import io.godwit.broker.start.Serving;
import io.godwit.broker.start.StartContext;
import io.godwit.broker.start.StartWaits;
import io.godwit.broker.start.StartedPlugins;
import io.godwit.broker.start.SubBrokerParts;
import io.godwit.broker.start.TenantParts;
import io.godwit.kv.KvNode;
import io.godwit.mqtt.MqttConfig;
import io.godwit.mqtt.MqttServer;
import io.godwit.mqtt.intercept.Interceptors;
import io.godwit.mqtt.transport.Listener;
import io.godwit.mqtt.transport.config.TransportConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One broker: creates the parts in the order of their dependencies and closes them in reverse order, listeners first.
 * The main thread starts it; the main or the shutdown thread closes it. Both calls block.
 *
 * <p>Order of the start: the plugins; the auth provider with its files; data directory and log; the dist and the retain
 * store; the inbox store, whose leaders may publish wills at once and so need the other two; the listeners. Nothing is
 * acknowledged before all stores serve. {@link StartedPlugins}, {@link MqttStores}, {@link MqttFrontEnd},
 * {@link TenantParts}, {@link OperatorParts} and {@link SubBrokerParts} each start the parts of one subject; they push
 * each open part to {@link OpenedParts}, which closes them.
 */
final class Broker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Broker.class);

    private final BrokerConfig config;
    private final Path data;
    private final Path pluginDirectory;
    private final StatusFile status;
    private final Reporting reporting;
    private final OpenedParts opened;
    private final ServedPorts ports = new ServedPorts();
    private final BrokerApi api;
    private final StartWaits waits;
    private final Serving serving;
    private final StoreReports storeReports;
    private final StartContext context;

    private boolean isClosed;

    /** As {@link #facts}. */
    private volatile @Nullable PluginHost pluginHost;

    /** Null until plugins are loaded. Volatile: set by the starter, read by the thread that reconfigures. */
    private volatile @Nullable BrokerFacts facts;

    /** @param pluginDirectory may be missing */
    Broker(BrokerConfig config, Path data, Path pluginDirectory) {
        this(config, data, pluginDirectory, TransportConfig.DEFAULTS.io());
    }

    /** @param io the kind of channels that the listeners use */
    Broker(BrokerConfig config, Path data, Path pluginDirectory, TransportConfig.Io io) {
        this.config = config;
        this.data = data;
        this.pluginDirectory = pluginDirectory;
        this.status = new StatusFile(data);
        this.reporting = Reporting.to(status);
        this.opened = new OpenedParts(reporting.metrics());
        this.api = new BrokerApi(
                config,
                data,
                reporting.metrics().scrapes(),
                new LogbackAudit(reporting.meters()),
                new ApiMeters(reporting.meters()),
                ports);
        this.waits = new StartWaits(status, api);
        this.serving = new Serving(status, api);
        this.storeReports = new StoreReports(status, serving::isBegun, reporting.events(), reporting.meters());
        this.context = new StartContext(config, data, io, reporting, opened, ports, serving);
    }

    /**
     * Starts all parts. Returns when the listeners are open.
     *
     * @return lines for the terminal: where the broker listens, and its warnings
     * @throws IOException naming the obstacle, such as a missing plugin, data that is damaged, in use or of another
     * format, a port in use, or missing data with {@code bootstrap} false
     */
    synchronized List<String> start() throws IOException, InterruptedException {
        if (isClosed) {
            return List.of(); // the process was told to end before
        }
        PluginHost host = StartedPlugins.host(context);
        pluginHost = host;
        StartedPlugins plugins = StartedPlugins.open(host, pluginDirectory, context);
        KvNode node = openNode();
        host.start();
        reporting.toPlugins().begin(plugins.used().makeListeners());
        Interceptors interceptors = plugins.used().makeInterceptors();
        opened.push(api::storesClose);
        api.opened(node);
        List<String> warnings = warn(node);
        reportOn(node);
        OperatorParts operators = new OperatorParts(context, node);
        BrokerFacts told = new BrokerFacts(config, plugins.loader());
        facts = told;
        operators.serveCommands(told);

        MqttStores stores = new MqttStores(context, node, plugins.loader());
        stores.open();
        waits.serving(node);
        OperatorTokens accepted = operators.acceptTokens(stores);
        stores.openInboxes(serving);
        MqttFrontEnd front = new MqttFrontEnd(context, stores, plugins, interceptors);
        TenantParts tenants = front.open();
        operators.serveClients(stores, front, plugins.auth(), accepted);
        waits.serving(node);
        MqttCluster others = stores.others();
        if (others != null) {
            front.server().dependOn(others::serves);
            api.joins(others::lack);
            waits.join(others, front.server());
        }
        front.startSysTopics(tenants);

        serving.begin(front.server());
        front.publishForOperators();
        List<Listener> open = front.listen();
        SubBrokerParts.start(context, plugins.subBrokers(), stores, front.directory());
        ports.webSockets.set(webSockets(open));
        List<String> listeners = open.stream().map(Listener::toString).toList();
        node.tellHealth();
        status.ready(listeners);
        api.serves();
        LOG.info("ready listeners={}", listeners);
        return Stream.of(
                        listeners.stream().map(listener -> "listening on " + listener),
                        api.lines().stream(),
                        warnings.stream().map(warning -> "warning: " + warning))
                .flatMap(lines -> lines)
                .toList();
    }

    private KvNode openNode() throws IOException, InterruptedException {
        // the pid file goes last: until then the data directory is in use
        opened.push(status::end);
        opened.push(api);
        opened.push(reporting.toPlugins()); // listeners of plugins also get what the end of the node raises
        KvNode node = waits.open(BrokerSettings.node(config, data), reporting.stores(), reporting.ranges());
        opened.push(node);
        return node;
    }

    /** Tells the log and the status file what an operator should know about the configuration and the data. */
    private List<String> warn(KvNode node) {
        List<String> warnings = Stream.of(
                        node.losses(),
                        BrokerSettings.warnings(config),
                        BalanceSettings.warnings(config, node.wantedVoters()),
                        OtlpSettings.warnings(config),
                        RedirectSettings.warnings(config),
                        OtherReaders.ofData(data))
                .flatMap(List::stream)
                .toList();
        warnings.forEach(warning -> LOG.warn("{}", warning));
        status.warnings(warnings);
        return warnings;
    }

    /**
     * Begins to report what the node does.
     *
     * @throws IOException if a file of the OTLP settings cannot be read
     */
    private void reportOn(KvNode node) throws IOException {
        opened.push(reporting.log());
        node.onHealthChange(storeReports::report);
        node.onPauses(status::pauses);
        reporting.stores().register(node);
        if (OtlpSettings.isOn(config)) {
            OtlpPush push = new OtlpPush(
                    reporting.metrics(),
                    OtlpSettings.of(config, node.operations().self()));
            opened.push(push);
            push.start();
        }
    }

    private static List<WebSocketListener> webSockets(List<Listener> open) {
        return open.stream()
                .filter(listener -> listener.webSocketPath() != null)
                .map(listener -> new WebSocketListener(
                        listener.hasTls(),
                        listener.address().getPort(),
                        Objects.requireNonNull(listener.webSocketPath())))
                .toList();
    }

    /** Applies the settings that can change at run time. Does nothing before {@link #start} has returned. */
    void reconfigure(BrokerConfig next, boolean withListeners) {
        MqttServer server = serving.server();
        BrokerFacts told = facts;
        if (server == null || told == null) {
            return;
        }
        told.reconfigured(next, withListeners);
        PluginHost host = pluginHost;
        if (host != null) {
            host.authTimeout(Duration.ofSeconds(next.auth().timeoutSeconds()));
        }
        MqttConfig now = BrokerSettings.mqtt(config, context.io());
        MqttConfig wanted = BrokerSettings.mqtt(next, context.io());
        server.reconfigure(new MqttConfig(
                withListeners ? wanted.listeners() : now.listeners(),
                wanted.transport(),
                wanted.session(),
                wanted.auth(),
                wanted.topics(),
                wanted.memory(),
                wanted.bans(),
                now.tenants()));
    }

    /** The meters of this broker, available from construction on. */
    BrokerMeters metrics() {
        return reporting.metrics();
    }

    /** Puts warnings about the configuration file into {@code status}. */
    void tellOfConfiguration(List<String> warnings) {
        status.configuration(warnings);
    }

    /** Figures of all nodes; empty while this one starts. Any thread. */
    Optional<StatsSource> figures() {
        return ports.figures.get();
    }

    /** The clients of all nodes; empty while this one starts. Any thread. */
    Optional<ClientAdmin> clients() {
        return ports.clients.get();
    }

    /** The subscriptions of all nodes; empty while this one starts. Any thread. */
    Optional<SubscriptionAdmin> subscriptions() {
        return ports.subscriptions.get();
    }

    /** The stored sessions of all nodes; empty while this one starts. Any thread. */
    Optional<SessionAdmin> sessions() {
        return ports.sessions.get();
    }

    /** Interrupts a start that still waits for the stores; {@link #start} then throws. Does nothing after the start. */
    void cancelStart() {
        waits.cancel();
    }

    /**
     * Whether a plugin has called {@code System.exit}, which ends the process now; logs the plugin's name. Any thread.
     */
    boolean isEndedByPlugin() {
        PluginHost host = pluginHost;
        return host != null && host.isEndedByPlugin();
    }

    /**
     * Closes the listeners, hands over the leaders of this node, and disconnects the clients at an even rate. Returns
     * when no client is left, or at once when the broker does not serve. A {@link #close} during the drain disconnects
     * all remaining clients at once.
     */
    void drain(Duration over) throws InterruptedException {
        serving.drain(over);
    }

    /** Closes all started parts, listeners first. Further calls do nothing. */
    @Override
    public synchronized void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        if (!opened.isEmpty()) {
            LOG.info("stopping");
            status.stopping();
            api.stops();
        }
        opened.closeAll();
    }
}
