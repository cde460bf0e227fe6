package io.godwit.broker;

import io.godwit.api.port.BanAdmin;
import io.godwit.api.port.ClientAdmin;
import io.godwit.api.port.DelayedAdmin;
import io.godwit.api.port.HistorySource;
import io.godwit.api.port.MessagePublisher;
import io.godwit.api.port.RetainedAdmin;
import io.godwit.api.port.SessionAdmin;
import io.godwit.api.port.SettingsAdmin;
import io.godwit.api.port.StatsSource;
import io.godwit.api.port.StoreAdmin;
import io.godwit.api.port.SubscribeOnBehalf;
import io.godwit.api.port.SubscriptionAdmin;
import io.godwit.api.port.TokenAdmin;
import io.godwit.api.port.TopSource;
import io.godwit.api.port.UserAdmin;
import io.godwit.api.port.WatchSource;
import io.godwit.api.port.WebSocketSource.WebSocketListener;
import io.godwit.broker.admin.Admin;
import io.godwit.broker.admin.AdminService;
import io.godwit.broker.admin.OperatorCalls;
import io.godwit.broker.admin.SettingsSteering;
import io.godwit.broker.admin.StoreSteering;
import io.godwit.broker.api.LogbackAudit;
import io.godwit.broker.auth.AuthFileReports;
import io.godwit.broker.auth.FileAuth;
import io.godwit.broker.clients.ClusterClients;
import io.godwit.broker.clients.ClusterNodes;
import io.godwit.broker.clients.SessionsOverNodes;
import io.godwit.broker.config.ConfigException;
import io.godwit.broker.messages.OperatorPublisher;
import io.godwit.broker.messages.RetainedOverNodes;
import io.godwit.broker.metrics.ApiMeters;
import io.godwit.broker.metrics.BrokerMeters;
import io.godwit.broker.metrics.OtlpPush;
import io.godwit.broker.metrics.RmqttStats;
import io.godwit.broker.metrics.StoreMeters;
import io.godwit.broker.plugin.BrokerServices;
import io.godwit.broker.plugin.PluginEvents;
import io.godwit.broker.plugin.PluginHost;
import io.godwit.broker.records.EndedRecords;
import io.godwit.broker.records.OperatorBans;
import io.godwit.broker.records.OperatorTokens;
import io.godwit.broker.records.OperatorUsers;
import io.godwit.broker.redirect.LoadExchange;
import io.godwit.broker.redirect.Placements;
import io.godwit.broker.release.Release;
import io.godwit.broker.settings.OlderClients;
import io.godwit.broker.sub.SubConsumers;
import io.godwit.broker.sub.SubParts;
import io.godwit.broker.sub.SubReports;
import io.godwit.broker.sub.Turns;
import io.godwit.broker.tenants.ProvidedTenants;
import io.godwit.broker.tenants.TenantFileWatch;
import io.godwit.broker.tenants.TenantLimiter;
import io.godwit.broker.tenants.UsageExchange;
import io.godwit.broker.watch.ClusterTop;
import io.godwit.broker.watch.ClusterWatch;
import io.godwit.broker.watch.EventTap;
import io.godwit.broker.watch.TraceTap;
import io.godwit.cluster.Cluster;
import io.godwit.cluster.LocalRpcServer;
import io.godwit.dist.DistWorker;
import io.godwit.dist.client.Delayer;
import io.godwit.inbox.InboxStore;
import io.godwit.inbox.client.InboxClient;
import io.godwit.inbox.client.SessionCatalog;
import io.godwit.inbox.client.SessionDirectory;
import io.godwit.inbox.session.NodeSessionDirectory;
import io.godwit.kv.KvNode;
import io.godwit.kv.KvStore;
import io.godwit.kv.coprocessor.SteadyClock;
import io.godwit.kv.member.StartProgress;
import io.godwit.kv.store.StoreHealth;
import io.godwit.mqtt.MqttConfig;
import io.godwit.mqtt.MqttServer;
import io.godwit.mqtt.intercept.Interceptors;
import io.godwit.mqtt.quota.TenantMeters;
import io.godwit.mqtt.tenant.Tenants;
import io.godwit.mqtt.trace.Tracing;
import io.godwit.mqtt.transport.Listener;
import io.godwit.mqtt.transport.TransportConfig;
import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.redirect.ClientBalancer;
import io.godwit.plugin.sub.SubBroker;
import io.godwit.plugin.sub.SubBrokerSubscription;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.tenant.TenantSettingsProvider;
import io.godwit.plugin.tenant.TenantSettingsProviderFactory;
import io.godwit.plugin.throttle.ResourceThrottler;
import io.godwit.retain.RetainStore;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
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
 * acknowledged before all stores serve.
 */
final class Broker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Broker.class);

    /** Replaying a log of the usual size takes seconds. This limit only ensures that the start script ends some day. */
    private static final long READY_MINUTES = 30;

    private static final long JOIN_LOOK_MILLIS = 500;

    private final BrokerConfig config;
    private final Path data;
    private final Path pluginDirectory;
    private final TransportConfig.Io io;
    private final StatusFile status;
    private final BrokerMeters metrics = new BrokerMeters();
    private final MeterRegistry meters = metrics.registry();
    private final StoreMeters storeMeters = new StoreMeters(meters);
    private final EventLog eventLog;
    private final PluginEvents pluginEvents;
    private final EventTap events;
    private final Tracing tracing = new Tracing();
    private final TraceTap traces = new TraceTap(tracing, System::currentTimeMillis);
    private final BrokerApi api;
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    /** The last reported state of each store. Only the reporting thread uses it, and one reports at a time. */
    private final Map<String, StoreHealth> told = new ConcurrentHashMap<>();

    private boolean isClosed;

    /**
     * The thread in {@link #await}, for {@link #cancelStart}. Volatile: the shutdown thread looks while the starter
     * holds the monitor.
     */
    private volatile @Nullable Thread starter;

    private volatile boolean isCancelled;

    /**
     * Hands over leaders; does nothing on a node without a cluster. Volatile: set by the starter, read by the draining
     * thread.
     */
    private volatile Runnable handOver = () -> {};

    /**
     * Null until the listeners are open. Volatile: set by the starter, read by the threads that reconfigure and drain.
     */
    private volatile @Nullable MqttServer running;

    /** Whether clients are being sent away. Volatile: set by the draining thread, read when other nodes ask. */
    private volatile boolean isDraining;

    /** Null until operators are served. Volatile: set by the starter, read by threads of the API. */
    private volatile @Nullable StoreAdmin stores;

    /** As {@link #stores}. */
    private volatile @Nullable SettingsAdmin settings;

    /** As {@link #facts}. */
    private volatile @Nullable PluginHost pluginHost;

    /** Null until plugins are loaded. Volatile: set by the starter, read by the thread that reconfigures. */
    private volatile @Nullable BrokerFacts facts;

    /** Null until the node can be asked about clients. Volatile: set by the starter, read by threads of the API. */
    private volatile @Nullable ClientAdmin clients;

    /** As {@link #clients}. */
    private volatile @Nullable SubscriptionAdmin subscriptions;

    /** As {@link #clients}. */
    private volatile @Nullable SubscribeOnBehalf onBehalf;

    /** As {@link #clients}. */
    private volatile @Nullable SessionAdmin sessions;

    /** As {@link #clients}. */
    private volatile @Nullable DelayedAdmin delayedMessages;

    /** As {@link #clients}, but set just before the listeners open. */
    private volatile @Nullable OperatorPublisher publisher;

    /** As {@link #clients}. */
    private volatile @Nullable RetainedAdmin retained;

    /** As {@link #clients}. */
    private volatile @Nullable RmqttStats figures;

    /** As {@link #clients}, but set as soon as the dist store serves. */
    private volatile @Nullable OperatorTokens tokens;

    /** As {@link #clients}. */
    private volatile @Nullable BanAdmin bans;

    /** As {@link #clients}; stays null without users from a file. */
    private volatile @Nullable OperatorUsers users;

    /** As {@link #clients}. */
    private volatile @Nullable ClusterWatch watches;

    /** As {@link #clients}. */
    private volatile @Nullable ClusterTop top;

    /** Empty until the listeners are open. */
    private volatile List<WebSocketListener> webSockets = List.of();

    /** @param pluginDirectory may be missing */
    Broker(BrokerConfig config, Path data, Path pluginDirectory) {
        this(config, data, pluginDirectory, TransportConfig.DEFAULTS.io());
    }

    /** @param io the kind of channels that the listeners use */
    Broker(BrokerConfig config, Path data, Path pluginDirectory, TransportConfig.Io io) {
        this.io = io;
        this.config = config;
        this.data = data;
        this.pluginDirectory = pluginDirectory;
        this.status = new StatusFile(data);
        this.eventLog = new EventLog(meters, status::events, status::alive);
        this.pluginEvents = new PluginEvents(eventLog);
        this.events = new EventTap(pluginEvents, System::currentTimeMillis);
        this.api = new BrokerApi(
                config,
                data,
                metrics.scrapes(),
                new LogbackAudit(meters),
                new ApiMeters(meters),
                this::stores,
                this::settings,
                this::clients,
                this::sessions,
                this::subscriptions,
                this::onBehalf,
                this::publisher,
                this::retained,
                this::delayedMessages,
                this::figures,
                this::history,
                this::bans,
                this::tokens,
                this::users,
                this::watches,
                this::top,
                () -> webSockets);
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
        PluginHost host = new PluginHost(
                config.plugins(),
                config.directory(),
                data.resolve("plugins"),
                Duration.ofSeconds(config.auth().timeoutSeconds()),
                events,
                meters,
                System::nanoTime,
                new BrokerServices(this::clients, this::pluginPublisher, this::sessions),
                status::plugins);
        pluginHost = host;
        PluginLoader plugins = PluginLoader.open(pluginDirectory, host);
        opened.push(plugins);
        opened.push(host);
        BalanceSettings.check(config, plugins);
        OtlpSettings.check(config);
        host.subBrokerTimeout(Duration.ofSeconds(config.subBrokers().timeoutSeconds()));
        host.redirectTimeout(Duration.ofMillis(config.redirects().timeoutMillis()));
        TenantsOf.check(config);
        AuthProvider auth = AuthProviders.open(config, plugins, new AuthFileReports(events, meters));
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
        host.checkSections();
        // the pid file goes last: until then the data directory is in use
        opened.push(status::end);
        opened.push(api);
        KvNode node = open();
        opened.push(node);
        host.start();
        opened.push(pluginEvents);
        pluginEvents.begin(used.makeListeners());
        Interceptors interceptors = used.makeInterceptors();
        opened.push(api::storesClose);
        api.opened(node);
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
        opened.push(eventLog);
        node.onHealthChange(this::report);
        node.onPauses(status::pauses);
        storeMeters.register(node);
        if (OtlpSettings.isOn(config)) {
            OtlpPush push = new OtlpPush(
                    metrics, OtlpSettings.of(config, node.operations().self()));
            opened.push(push);
            push.start();
        }
        serveOperators(node, plugins);

        SteadyClock clock = SteadyClock.system();
        Late<MqttServer> mqtt = new Late<>();
        Late<InboxClient> inbox = new Late<>();
        Late<KvStore> distRanges = new Late<>();
        Late<KvStore> retainRanges = new Late<>();

        boolean delays = config.topics().delayedPublish().maxSeconds() > 0;
        Late<InboxStore> inboxStore = new Late<>();
        DelayedMessages delayed = new DelayedMessages(
                inbox,
                () -> inboxStore.get().countedRecords(),
                config.topics().delayedPublish().maxMessages());
        NodeWaits waits = new NodeWaits(config.cluster().waits(), events, meters);
        MqttCluster others = node.cluster().isPresent()
                ? MqttCluster.open(node.cluster().get(), node.operations().clusterId(), waits)
                : null;
        DistWorker dist = new DistWorker(
                BrokerSettings.dist(config),
                () -> distRanges.get().client(),
                traces.live(delivery -> mqtt.get().liveDeliverer().deliver(delivery)),
                new InboxDeliverer(inbox, traces),
                delays ? delayed : Delayer.NONE,
                events,
                meters,
                others == null
                        ? null
                        : others.parts(clock::millis, config.cluster().maxLiveFilterBytes()));
        if (others != null) {
            opened.push(others);
        }
        RetainStore retain = new RetainStore(
                BrokerSettings.retain(config), () -> retainRanges.get().client(), clock::millis, events, meters);
        distRanges.set(node.open(BalanceSettings.DIST.store(dist.coprocessorFactory(), List.of(), config, plugins)));
        retainRanges.set(
                node.open(BalanceSettings.RETAIN.store(retain.coprocessorFactory(), List.of(), config, plugins)));
        dist.start();
        opened.push(dist);
        if (others != null) {
            others.members(dist, distRanges.get(), events, meters);
        }
        retain.start();
        opened.push(retain);
        await(node);
        OperatorTokens accepted = new OperatorTokens(dist.records(), clock::millis);
        tokens = accepted;

        StorePublisher outlet = new StorePublisher(dist::client, retain::client, delayed, delays);
        inboxStore.set(new InboxStore(
                BrokerSettings.inbox(config),
                outlet,
                outlet,
                outlet,
                DelayedMessages::isKeeper,
                config.topics().sysIntervalSeconds() > 0 || TenantsOf.countSessions(config),
                events,
                meters,
                others == null ? Duration.ZERO : waits.connection(),
                others == null ? Integer.MAX_VALUE : config.cluster().lostWillsPerSecond()));
        List<byte[]> splitKeys = InboxStore.splitKeys(config.properties().initialRanges());
        // on start a leader publishes messages that were stored but not distributed, and needs the inbox client for it
        KvStore inboxRanges = node.open(
                BalanceSettings.INBOX.store(inboxStore.get().coprocessorFactory(), splitKeys, config, plugins),
                ranges -> inbox.set(
                        others == null
                                ? inboxStore.get().client(ranges.client())
                                : others.inbox(inboxStore.get(), ranges, clock::millis, meters)));
        if (others != null) {
            others.link();
            opened.push(others::leave);
            handOver = () -> Departure.handOver(node.operations(), waits.handOver(), waits::notHandedOver);
            opened.push(handOver::run);
        }
        SessionDirectory directory = others == null ? new NodeSessionDirectory() : others.directory();
        boolean tellsTenants = TenantsOf.mayHaveFigures(config);
        NodeRetained own = others == null && !tellsTenants ? null : new NodeRetained(retain.client(), tellsTenants);
        MqttServer server = new MqttServer(
                BrokerSettings.mqtt(config, io),
                dist.client(),
                inbox.get(),
                own == null ? retain.client() : own,
                directory,
                auth,
                events,
                meters,
                clock::millis,
                tracing);
        if (!config.mqtt().serverReference().isEmpty()) {
            server.referTo(config.mqtt().serverReference());
        }
        server.intercept(interceptors);
        placeClients(node, server, placing, others);
        mqtt.set(server);
        opened.push(server);
        TenantHoldings holdings = new TenantHoldings(dist, inboxStore.get(), retain);
        TenantMeters counted = meterTenants(server, inboxStore.get(), holdings);
        tellOfTenants(server, inboxStore.get(), tenantProvider);
        limitTenants(node, server, holdings, throttler, others);
        SessionCatalog catalog = InboxStore.catalog(inboxRanges.client(), clock::millis);
        ClusterClients asked = serveClients(node, server, dist, catalog, others, clock::millis);
        serveBans(node, server, dist, asked, accepted, others, clock::millis);
        FileAuth files = AuthProviders.files(auth).orElse(null);
        if (files != null) {
            OperatorUsers known = new OperatorUsers(dist.records(), files, clock::millis);
            opened.push(known);
            users = known;
        }
        sessions = new SessionsOverNodes(
                catalog, inbox.get(), inboxRanges.leaders(), node.operations().self());
        delayedMessages = new DelayedOverNodes(catalog, inbox.get(), delayed);
        BrokerSettings.Topics topics = BrokerSettings.topics(config);
        retained = new RetainedOverNodes(own == null ? retain.client() : own, topics.rules(), clock::millis);
        await(node);
        if (others != null) {
            server.dependOn(others::serves);
            api.joins(others::lack);
            join(others, server);
        }

        SysTopics sys = new SysTopics(
                dist.client()::publisher,
                retain.client(),
                own,
                new SysValues(meters, "Godwit " + Release.version(), System::nanoTime),
                tellsTenants
                        ? new TenantSysValues(
                                () -> server.tenants().with(TenantSetting.SYS_TOPICS),
                                server.tenants().accounts(),
                                counted,
                                holdings)
                        : Map::of,
                Duration.ofSeconds(config.topics().sysIntervalSeconds()),
                System::currentTimeMillis);
        opened.push(sys);
        sys.start();

        running = server;
        publisher = new OperatorPublisher(
                dist.client()::publisher,
                retain.client(),
                (client, message) -> server.operatorIntake().admit(client, message),
                topics.limits(),
                topics.rules(),
                ClusterSettings.largestPacket(config),
                clock::millis);
        List<Listener> open = server.start();
        serveSubBrokers(subBrokers, node, dist, inbox.get(), directory, others, clock::millis);
        webSockets = webSockets(open);
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

    /** Other nodes may ask for the number of clients here, so the exchange runs without a balancer too. */
    private void placeClients(
            KvNode node, MqttServer server, @Nullable ClientBalancer placing, @Nullable MqttCluster others) {
        LoadExchange loads = new LoadExchange(
                others == null ? ClusterNodes.alone(node.operations().self()) : others.nodes(),
                config.redirects().serverReference(),
                server::connections,
                () -> running == server && !isDraining,
                System::nanoTime);
        opened.push(loads);
        node.cluster().ifPresent(cluster -> cluster.server().add(loads.service()));
        if (placing != null) {
            loads.start();
            boolean refusesOlder = config.redirects().olderClients() == OlderClients.REFUSE;
            server.placeClients(new Placements(placing, refusesOlder, loads::loads));
        }
    }

    /** Called before the settings of tenants are read, since those decide which tenants are counted. */
    private TenantMeters meterTenants(MqttServer server, InboxStore inbox, TenantHoldings holdings) {
        Tenants tenants = server.tenants();
        Set<TenantId> ofListeners = TenantsOf.ofListeners(config);
        boolean tellsTenants = TenantsOf.mayHaveFigures(config);
        TenantMeters counted = new TenantMeters(
                config.tenants().maxMeteredTenants(),
                tenant -> tenant.equals(TenantId.DEFAULT) || ofListeners.contains(tenant) || tenants.isListed(tenant),
                tenant -> tellsTenants && tenants.has(tenant, TenantSetting.SYS_TOPICS),
                tenants.accounts(),
                holdings,
                meters);
        if (tellsTenants || config.tenants().maxMeteredTenants() > 0) { // otherwise it would cost time for nothing
            tenants.accounts().countedBy(counted);
            inbox.onDrop(counted::dropped);
        }
        return counted;
    }

    /** Other nodes may ask for the usage of tenants here, so the exchange runs without quotas too. */
    private void limitTenants(
            KvNode node,
            MqttServer server,
            TenantHoldings holdings,
            @Nullable ResourceThrottler throttler,
            @Nullable MqttCluster others) {
        UsageExchange exchange = new UsageExchange(
                others == null ? ClusterNodes.alone(node.operations().self()) : others.nodes(), System::nanoTime);
        opened.push(exchange);
        node.cluster().ifPresent(cluster -> cluster.server().add(exchange.service()));
        server.tenants().accounts().holdings(holdings);
        TenantLimiter limiter = new TenantLimiter(server.tenants().accounts(), throttler, exchange, System::nanoTime);
        opened.push(limiter);
        limiter.bound(holdings);
        limiter.start();
        if (throttler != null) {
            server.tenants().ask(limiter::known);
        }
    }

    private void serveSubBrokers(
            Map<String, SubBroker> brokers,
            KvNode node,
            DistWorker dist,
            InboxClient inbox,
            SessionDirectory directory,
            @Nullable MqttCluster others,
            LongSupplier millis) {
        if (brokers.isEmpty()) {
            return;
        }
        String self = node.operations().self();
        Predicate<String> isOurs = id -> others == null
                || Turns.isOf(
                        self,
                        dist.members().get().serving().stream()
                                .map(life -> life.nodeId())
                                .toList(),
                        id);
        Map<String, List<SubBrokerSubscription>> subscriptions = new LinkedHashMap<>();
        brokers.forEach((name, broker) -> subscriptions.put(name, broker.subscriptions()));
        SubConsumers consumers = new SubConsumers(
                brokers,
                subscriptions,
                new SubParts(
                        directory,
                        inbox,
                        dist.client(),
                        isOurs,
                        millis,
                        new SubReports(events, meters),
                        SubBrokerSettings.limits(config)));
        opened.push(consumers);
        consumers.start();
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

    /** May wait for other nodes; the status names them. */
    private KvNode open() throws IOException, InterruptedException {
        StartProgress progress = new StartProgress() {
            @Override
            public void claimed() throws IOException {
                status.begin();
                api.open();
            }

            @Override
            public void waitsFor(String what) {
                waiting(what);
            }

            @Override
            public boolean isCancelled() {
                return isCancelled;
            }
        };
        try {
            return KvNode.open(BrokerSettings.node(config, data), progress, storeMeters);
        } catch (IOException e) {
            if (isCancelled) {
                throw new InterruptedException("told to end: " + e.getMessage());
            }
            throw e;
        }
    }

    private void waiting(String what) {
        status.waiting(what);
        api.waits(what);
    }

    /** Applies the settings that can change at run time. Does nothing before {@link #start} has returned. */
    void reconfigure(BrokerConfig next, boolean withListeners) {
        MqttServer server = running;
        BrokerFacts told = facts;
        if (server == null || told == null) {
            return;
        }
        told.reconfigured(next, withListeners);
        PluginHost host = pluginHost;
        if (host != null) {
            host.authTimeout(Duration.ofSeconds(next.auth().timeoutSeconds()));
        }
        MqttConfig now = BrokerSettings.mqtt(config, io);
        MqttConfig wanted = BrokerSettings.mqtt(next, io);
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
        return metrics;
    }

    /** Puts warnings about the configuration file into {@code status}. */
    void tellOfConfiguration(List<String> warnings) {
        status.configuration(warnings);
    }

    /** Called early: an operator may have to repair the very condition that delays the start. */
    private void serveOperators(KvNode node, PluginLoader plugins) throws IOException {
        Cluster cluster = node.cluster().orElse(null);
        BrokerFacts told = new BrokerFacts(config, plugins);
        facts = told;
        AdminService service = new AdminService(
                node.operations(),
                node.backups(),
                nodeId -> cluster == null ? null : cluster.channels().to(nodeId),
                told);
        opened.push(service);
        if (cluster != null) {
            cluster.server().add(service.definition());
        }
        Path access = data.resolve(Admin.ACCESS_FILE);
        opened.push(LocalRpcServer.start(List.of(service.definition()), access));
        OperatorCalls calls = OperatorCalls.to(access);
        opened.push(calls);
        StoreSteering steering = new StoreSteering(calls);
        opened.push(steering);
        stores = steering;
        settings = new SettingsSteering(calls);
    }

    /** Called before the listeners open: the settings of a tenant apply from its first connection on. */
    private void tellOfTenants(MqttServer server, InboxStore inbox, @Nullable TenantSettingsProviderFactory factory)
            throws IOException {
        ProvidedTenants tenants = new ProvidedTenants((tenant, settings) -> {
            inbox.bound(tenant, settings == null ? null : TenantsOf.queue(settings, config));
            server.tenants().say(tenant, settings);
        });
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
        TenantFileWatch watch = new TenantFileWatch(file, tenants::ofFile, status::tenants);
        opened.push(watch);
        try {
            watch.start();
        } catch (ConfigException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Any node can answer for the clients and figures of all nodes. */
    private ClusterClients serveClients(
            KvNode node,
            MqttServer server,
            DistWorker dist,
            SessionCatalog catalog,
            @Nullable MqttCluster others,
            LongSupplier millis) {
        ClusterNodes nodes =
                others == null ? ClusterNodes.alone(node.operations().self()) : others.nodes();
        ClusterClients made = new ClusterClients(server, new TopicsHere(dist), catalog, nodes);
        opened.push(made);
        node.cluster().ifPresent(cluster -> cluster.server().add(made.service()));
        clients = made.admin();
        subscriptions = made.subscriptions();
        onBehalf = made.onBehalf();
        RmqttStats counted = RmqttStats.of(node, meters, nodes, millis);
        opened.push(counted);
        node.cluster().ifPresent(cluster -> cluster.server().add(counted.service()));
        counted.start();
        figures = counted;
        ClusterWatch watching = new ClusterWatch(events, traces, nodes);
        opened.push(watching);
        ClusterTop counting = new ClusterTop(server, nodes);
        opened.push(counting);
        node.cluster().ifPresent(cluster -> cluster.server().add(watching.service(counting)));
        watches = watching;
        top = counting;
        return made;
    }

    /** Watches all nodes; empty while this one starts. Any thread. */
    Optional<WatchSource> watches() {
        return Optional.ofNullable(watches);
    }

    /**
     * The slowest subscribers and the busiest clients and topics of all nodes; empty while this one starts. Any thread.
     */
    Optional<TopSource> top() {
        return Optional.ofNullable(top);
    }

    /** Called before the listeners open, so that a banned client never gets in. */
    private void serveBans(
            KvNode node,
            MqttServer server,
            DistWorker dist,
            ClusterClients all,
            OperatorTokens accepted,
            @Nullable MqttCluster others,
            LongSupplier millis) {
        OperatorBans made = new OperatorBans(dist.records(), server.operatorBans(), millis);
        String self = node.operations().self();
        EndedRecords ended = new EndedRecords(
                dist.records(),
                made,
                accepted,
                () -> others == null
                        || dist.members().get().serving().stream()
                                .findFirst()
                                .map(first -> first.nodeId().equals(self))
                                .orElse(false),
                millis);
        opened.push(ended);
        ended.start();
        bans = all.bans(made, millis);
    }

    /** The bans by operators; empty while this node starts. Any thread. */
    Optional<BanAdmin> bans() {
        return Optional.ofNullable(bans);
    }

    /** Users and rules of the file provider; empty while this node starts. Any thread. */
    Optional<UserAdmin> users() {
        return Optional.ofNullable(users);
    }

    /** The tokens of the API, which hold on all nodes; empty until the dist store serves. Any thread. */
    Optional<TokenAdmin> tokens() {
        return Optional.ofNullable(tokens);
    }

    /** Changes of ranges and nodes; empty while this node starts. Any thread. */
    Optional<StoreAdmin> stores() {
        return Optional.ofNullable(stores);
    }

    /** The configuration and the plugins of all nodes; empty while this one starts. Any thread. */
    Optional<SettingsAdmin> settings() {
        return Optional.ofNullable(settings);
    }

    /** The last hour of all nodes; empty while this one starts. Any thread. */
    Optional<HistorySource> history() {
        return Optional.ofNullable(figures);
    }

    /** Figures of all nodes; empty while this one starts. Any thread. */
    Optional<StatsSource> figures() {
        return Optional.ofNullable(figures);
    }

    /** The clients of all nodes; empty while this one starts. Any thread. */
    Optional<ClientAdmin> clients() {
        return Optional.ofNullable(clients);
    }

    /** The subscriptions of all nodes; empty while this one starts. Any thread. */
    Optional<SubscriptionAdmin> subscriptions() {
        return Optional.ofNullable(subscriptions);
    }

    /** Subscribes clients of all nodes; empty while this one starts. Any thread. */
    Optional<SubscribeOnBehalf> onBehalf() {
        return Optional.ofNullable(onBehalf);
    }

    /** Publishes messages for operators; empty while this node starts. Any thread. */
    Optional<MessagePublisher> publisher() {
        return Optional.ofNullable(publisher);
    }

    /** The same for plugins. */
    Optional<MessagePublisher> pluginPublisher() {
        return Optional.ofNullable(publisher).map(OperatorPublisher::ofPlugins);
    }

    /** The retained messages of all nodes; empty while this one starts. Any thread. */
    Optional<RetainedAdmin> retained() {
        return Optional.ofNullable(retained);
    }

    /** The delayed messages of all nodes; empty while this one starts. Any thread. */
    Optional<DelayedAdmin> delayedMessages() {
        return Optional.ofNullable(delayedMessages);
    }

    /** The stored sessions of all nodes; empty while this one starts. Any thread. */
    Optional<SessionAdmin> sessions() {
        return Optional.ofNullable(sessions);
    }

    private void await(KvNode node) throws IOException, InterruptedException {
        try {
            starter = Thread.currentThread();
            if (isCancelled) {
                throw new InterruptedException("told to end");
            }
            node.ready().get(READY_MINUTES, TimeUnit.MINUTES);
        } catch (ExecutionException | TimeoutException e) {
            throw notServing(node.health(), e);
        } finally {
            starter = null;
        }
    }

    /**
     * Opens the way for the listeners once this node can keep its promises: all others know it, and it knows their
     * routes.
     */
    private void join(MqttCluster others, MqttServer server) throws IOException, InterruptedException {
        try {
            starter = Thread.currentThread();
            CompletableFuture<Void> serves = others.join(
                    server::endConnections,
                    lack -> status.store("mqtt", lack.isEmpty() ? "SERVING" : "NOT_ACKNOWLEDGING " + lack));
            String told = "";
            while (!serves.isDone()) {
                if (isCancelled) {
                    throw new InterruptedException("told to end");
                }
                String lack = others.lack();
                if (!lack.equals(told)) {
                    waiting(lack);
                    told = lack;
                }
                try {
                    serves.get(JOIN_LOOK_MILLIS, TimeUnit.MILLISECONDS);
                } catch (TimeoutException e) {
                    LOG.debug("still joining: {}", lack);
                }
            }
            serves.get();
            waiting("");
        } catch (ExecutionException e) {
            throw new IOException("this node does not come to serve: " + others.lack(), e);
        } finally {
            starter = null;
        }
    }

    /** Adds the cause to the message, since {@code health} may not show yet why the start failed. */
    static IOException notServing(Map<String, StoreHealth> health, Exception ended) {
        Throwable cause = ended instanceof ExecutionException && ended.getCause() != null ? ended.getCause() : ended;
        String why = cause instanceof TimeoutException
                ? "not within " + READY_MINUTES + " minutes"
                : cause.getMessage() == null ? cause.toString() : cause.getMessage();
        return new IOException("the stores do not serve, " + why + ": " + health, ended);
    }

    private void report(Map<String, StoreHealth> health) {
        health.forEach((name, store) -> {
            String text = (store.state() + " " + store.detail()).strip();
            StoreHealth before = told.put(name, store);
            if (running != null && before != null && before.state() != store.state()) {
                if (store.state() == StoreHealth.State.SERVING) {
                    LOG.info("store serves again store={}", name);
                } else {
                    LOG.warn("store does not fully serve store={} state={}", name, text);
                }
            }
            status.store(name, text);
        });
    }

    /** Interrupts a start that still waits for the stores; {@link #start} then throws. Does nothing after the start. */
    void cancelStart() {
        isCancelled = true;
        Thread waiting = starter;
        if (waiting != null) {
            waiting.interrupt();
        }
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
        MqttServer server = running;
        if (server == null) {
            return;
        }
        LOG.info("draining seconds={}", over.toSeconds());
        isDraining = true;
        status.stopping();
        api.stops();
        server.stopListening();
        handOver.run();
        try {
            server.sendAway(over).get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("connections always end", e);
        }
    }

    /** Closes all started parts, listeners first. Further calls do nothing. */
    @Override
    public synchronized void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        opened.addLast(metrics);
        if (opened.size() > 1) {
            LOG.info("stopping");
            status.stopping();
            api.stops();
        }
        while (!opened.isEmpty()) {
            AutoCloseable part = opened.pop();
            try {
                part.close();
            } catch (Exception e) { // go on and close the other parts
                LOG.error("not closed cleanly part={}", part, e);
            }
        }
    }
}
