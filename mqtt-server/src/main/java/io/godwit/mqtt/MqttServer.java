package io.godwit.mqtt;

import io.godwit.dist.client.Deliverer;
import io.godwit.inbox.client.SessionDirectory;
import io.godwit.mqtt.auth.AuthConfig;
import io.godwit.mqtt.auth.Authorizer;
import io.godwit.mqtt.ban.BanTable;
import io.godwit.mqtt.client.ConnectedClients;
import io.godwit.mqtt.connect.ClientPlacing;
import io.godwit.mqtt.connect.ConnectHandler;
import io.godwit.mqtt.connect.ConnectServices;
import io.godwit.mqtt.connect.RandomClientIds;
import io.godwit.mqtt.intercept.Interceptors;
import io.godwit.mqtt.session.core.SessionConfig;
import io.godwit.mqtt.session.core.SessionServices;
import io.godwit.mqtt.session.core.SessionStores;
import io.godwit.mqtt.session.inbound.OperatorIntake;
import io.godwit.mqtt.session.live.LiveFanOut;
import io.godwit.mqtt.session.persistent.StoredSubscriber;
import io.godwit.mqtt.tenant.TenantNaming;
import io.godwit.mqtt.tenant.Tenants;
import io.godwit.mqtt.top.Traffic;
import io.godwit.mqtt.top.TrafficCount;
import io.godwit.mqtt.top.TrafficKey;
import io.godwit.mqtt.top.TrafficKind;
import io.godwit.mqtt.topic.TopicRules;
import io.godwit.mqtt.transport.CertificateWatch;
import io.godwit.mqtt.transport.Listener;
import io.godwit.mqtt.transport.ListenerServices;
import io.godwit.mqtt.transport.config.BanConfig;
import io.godwit.mqtt.transport.config.ListenerConfig;
import io.godwit.mqtt.transport.config.MemoryConfig;
import io.godwit.mqtt.transport.limit.Bans;
import io.godwit.mqtt.transport.limit.DescriptorBudget;
import io.godwit.mqtt.transport.limit.HalfReceived;
import io.godwit.mqtt.transport.limit.OpenCount;
import io.godwit.mqtt.transport.loop.EventLoops;
import io.godwit.mqtt.transport.memory.AllocatorMeters;
import io.godwit.mqtt.transport.memory.JvmMemory;
import io.godwit.mqtt.transport.memory.MemoryGauge;
import io.godwit.mqtt.transport.memory.MemoryGuard;
import io.godwit.mqtt.transport.report.MqttMetrics;
import io.godwit.mqtt.transport.report.MqttReports;
import io.godwit.mqtt.transport.report.ReportTargets;
import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.throttle.TenantResource;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The MQTT frontend: listeners, connections and sessions of this node. {@link #liveDeliverer} works from construction
 * on. {@link #start} opens the listeners, so call it when the stores serve. {@link #close} ends every connection and
 * returns when their sessions are back in the stores, so close the stores after it.
 */
public final class MqttServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MqttServer.class);
    /** Time for clients to read the reason and close their end. Other nodes may serve them soon after. */
    private static final Duration END_PATIENCE = Duration.ofSeconds(1);

    private final MqttConfig config;
    private final MqttReports reports;
    private final HalfReceived halfReceived;
    private final BanTable operatorBans;
    private final Bans bans;
    private final EventLoops loops;
    private final LiveFanOut fanOut;
    private final ConnectedClients clients;
    private final Tenants tenants = new Tenants();
    private final OpenCount open = new OpenCount();
    private final AuthProvider auth;
    private final SessionDirectory directory;
    /** Used by new connections. Volatile: replaced while connections arrive on any loop. */
    private volatile ConnectServices services;

    private final CertificateWatch certificates;
    private final MemoryGuard memoryGuard;
    private final List<Listener> listeners = new ArrayList<>();
    /** All listeners, once they are open. Volatile: read by any thread that reconfigures. */
    private volatile List<Listener> started = List.of();

    private boolean isClosed;

    /** @param nowMillis wall time, from the same clock as the stores use */
    public MqttServer(
            MqttConfig config,
            SessionStores stores,
            SessionDirectory directory,
            AuthProvider auth,
            ReportTargets targets,
            LongSupplier nowMillis) {
        this(config, stores, directory, auth, targets, nowMillis, new JvmMemory());
    }

    /** @param memory the gauge that the memory guard reads */
    MqttServer(
            MqttConfig config,
            SessionStores stores,
            SessionDirectory directory,
            AuthProvider auth,
            ReportTargets targets,
            LongSupplier nowMillis,
            MemoryGauge memory) {
        MeterRegistry meters = targets.meters();
        this.config = config;
        this.auth = auth;
        this.directory = directory;
        this.reports = new MqttReports(new MqttMetrics(meters), targets.events(), targets.tracing());
        this.operatorBans = new BanTable(nowMillis);
        this.bans = new Bans(config.bans(), System::nanoTime, reports, operatorBans);
        this.halfReceived = new HalfReceived(config.transport().maxHalfReceivedBytes());
        this.certificates = new CertificateWatch(reports);
        halfReceived.register(meters);
        AllocatorMeters.register(meters);
        this.loops = new EventLoops(config.transport());
        Gauge.builder("godwit.mqtt.event.loop.threads", loops, EventLoops::activeThreads)
                .description("threads that run event loops now")
                .register(meters);
        this.memoryGuard = new MemoryGuard(config.memory(), memory, reports, loops::setMemoryShort);
        this.fanOut = new LiveFanOut(loops.count(), nowMillis);
        SessionServices sessions = new SessionServices(
                config.session(),
                config.topics(),
                tenants,
                stores,
                new Authorizer(auth, config.auth(), reports),
                reports,
                nowMillis,
                loops.count());
        this.clients = new ConnectedClients(loops.contexts(), sessions.clients());
        operatorBans.onPut(new BanSweeps(operatorBans, clients, loops.contexts().get(0))::banned);
        tenants.onChange(new TenantSweeps(clients, loops.contexts().get(0))::changed);
        Gauge.builder("godwit.mqtt.operator.bans", operatorBans, BanTable::size)
                .description("bans by operators, those that have ended and are not removed yet too")
                .register(meters);
        this.services = new ConnectServices(
                sessions,
                directory,
                new RandomClientIds(),
                config.transport().maxHalfReceivedBytes() / 8,
                open,
                bans,
                new TenantNaming(config.tenants(), tenants::isListed));
    }

    /**
     * For a member of a cluster; call before {@link #start}.
     *
     * @param proof whether this node has recently proved that it serves; called on event loops after a standstill
     */
    public void dependOn(BooleanSupplier proof) {
        loops.dependOn(proof);
    }

    /**
     * Call before {@link #start}.
     *
     * @param serverReference the other server that MQTT 5.0 clients are referred to when this server sends them
     *     away [MQTT5-4.11]
     */
    public void referTo(String serverReference) {
        loops.referTo(serverReference);
    }

    /** Call before {@link #start}: plugins then see the messages of all sessions. */
    public void intercept(Interceptors interceptors) {
        services = services.reconfigured(services.session().intercepted(interceptors));
    }

    /** Call before {@link #start}: {@code placing} then decides which clients are redirected to another server. */
    public void placeClients(ClientPlacing placing) {
        services = services.placedBy(placing);
    }

    /** About how many clients are connected to this node. Any thread. */
    public long connections() {
        return reports.metrics().connects().connected();
    }

    /** The clients connected to this node; available from construction on. */
    public ConnectedClients clients() {
        return clients;
    }

    /**
     * The bans of operators; available from construction on. A ban put there refuses new connections at once. It
     * disconnects a connected client at once if it names a client id, else within two seconds.
     */
    public BanTable operatorBans() {
        return operatorBans;
    }

    /**
     * The settings of tenants; available from construction on. A change applies to new connections at once, and to open
     * ones within two seconds as far as {@link io.godwit.plugin.tenant.TenantSetting#reach} allows.
     */
    public Tenants tenants() {
        return tenants;
    }

    /** All bans in force on this node, automatic ones included; available from construction on. Any thread. */
    public Bans bans() {
        return bans;
    }

    /**
     * Changes subscriptions of stored sessions whose clients are not connected. Uses the limits in force at the call.
     */
    public StoredSubscriber storedSubscriber() {
        return new StoredSubscriber(services.session(), directory);
    }

    /** Counts and reports that a client was refused because its tenant has reached a limit outside of this module. */
    public void tenantLimitReached(ClientInfo client, TenantResource resource, long most) {
        reports.tenantLimitReached(client, resource, most);
    }

    /** Holds what operators publish to the limits of its tenant that are in force now. */
    public OperatorIntake operatorIntake() {
        return new OperatorIntake(services.session());
    }

    /** Whether some listener has a mount point for the topics of its clients. */
    public boolean hasMountPoints() {
        return config.listeners().stream().anyMatch(each -> !each.mountPoint().isEmpty());
    }

    /**
     * The clients or topics of this node with most messages in the last minute, see {@link Traffic#top}. Available from
     * construction on.
     */
    public CompletableFuture<List<TrafficCount>> traffic(
            TrafficKind kind, Predicate<TrafficKey> wanted, int limit, Executor merging) {
        return services.session().traffic().top(loops.contexts(), kind, wanted, limit, merging);
    }

    /** Receives deliveries to the live sessions of this node. */
    public Deliverer liveDeliverer() {
        return fanOut;
    }

    /**
     * Opens the listeners and returns them, in the order of the configuration. Blocks until they listen. If it fails,
     * call {@link #close}.
     */
    public List<Listener> start() throws IOException {
        DescriptorBudget descriptors =
                DescriptorBudget.ofProcess(config.transport().io()); // the stores have opened their files by now
        LOG.info("connections at most {}", descriptors);
        ListenerServices shared = new ListenerServices(
                loops,
                config.transport(),
                reports,
                certificates,
                open,
                halfReceived,
                bans,
                descriptors,
                connection -> new ConnectHandler(connection, services));
        memoryGuard.start();
        for (ListenerConfig each : config.listeners()) {
            Listener listener = Listener.bind(each, shared);
            listeners.add(listener);
            LOG.info("listening on {}", listener);
        }
        started = List.copyOf(listeners);
        return started;
    }

    /**
     * Applies another configuration, as far as that is possible without a restart. New connections get the new limits
     * of their listener and of decoding, the new {@link SessionConfig}, and the new {@link AuthConfig#timeout} and
     * handling of denied publishes; open connections keep the old ones, and count. {@link MemoryConfig} and
     * {@link BanConfig} take effect at once; existing bans keep their end. All else stays the same: addresses and TLS
     * of listeners, {@link TopicRules}, the source of tenants, event loops, the budget for large packets,
     * {@code maxUnstoredNodeBytes}, and who may take over sessions. Any thread, after {@link #start}.
     *
     * @param next with one listener for each started one, in the same order
     */
    public synchronized void reconfigure(MqttConfig next) {
        if (next.listeners().size() != started.size()) {
            throw new IllegalArgumentException("listeners must be " + started.size() + ", were "
                    + next.listeners().size());
        }
        AuthConfig answers = new AuthConfig(
                next.auth().timeout(),
                next.auth().disconnectsOnDeniedPublish(),
                config.auth().keepsSessionsToUsers());
        services = services.reconfigured(
                services.session().reconfigured(next.session(), new Authorizer(auth, answers, reports)));
        bans.reconfigure(next.bans());
        memoryGuard.reconfigure(next.memory());
        for (int i = 0; i < started.size(); i++) {
            started.get(i)
                    .reconfigure(
                            next.listeners().get(i).limits(), next.transport().decodeLimits());
        }
    }

    /**
     * Ends all present connections, because the other cluster members went on without this node and may serve its
     * clients by now. Does not wait for publishes under way: this node acknowledges none of them, so clients send them
     * again. A client that does not close its end within a second is cut off. Any thread.
     *
     * @return complete, on an event loop, once all of them have ended
     */
    public CompletableFuture<Void> endConnections() {
        return loops.endConnections(END_PATIENCE);
    }

    /** Stops accepting connections; open ones stay. Blocks for a moment. Further calls do nothing. */
    public synchronized void stopListening() {
        listeners.forEach(Listener::close);
        listeners.clear();
    }

    /**
     * Sends all present clients away, at an even rate: publishes under way are acknowledged first, and 5.0 clients get
     * the reason. Connections still open one drain timeout after the last request are cut. Any thread.
     *
     * @return complete, on an event loop, once all of them have ended
     */
    public CompletableFuture<Void> sendAway(Duration over) {
        return loops.endConnections(over, config.transport().drainTimeout());
    }

    /**
     * Drains: accepts no more connections, lets publishes under way be acknowledged, sends 5.0 clients "server shutting
     * down", closes all connections and waits until the stores have their sessions back, for the drain timeout at most.
     * Blocks. Further calls do nothing.
     */
    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        certificates.close();
        memoryGuard.close();
        stopListening();
        loops.shutDownConnections();
        open.leave();
        try {
            open.none().get(config.transport().drainTimeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            LOG.warn("connections still open at the end of the drain time-out are cut");
        } catch (ExecutionException e) {
            throw new IllegalStateException("the count of connections never fails", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        loops.close();
    }
}
