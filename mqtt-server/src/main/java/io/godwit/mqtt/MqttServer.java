package io.godwit.mqtt;

import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.DistClient;
import io.godwit.inbox.client.InboxClient;
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
import io.godwit.mqtt.session.LiveFanOut;
import io.godwit.mqtt.session.SessionConfig;
import io.godwit.mqtt.session.SessionServices;
import io.godwit.mqtt.session.StoredSubscriber;
import io.godwit.mqtt.tenant.TenantNaming;
import io.godwit.mqtt.tenant.Tenants;
import io.godwit.mqtt.top.Traffic;
import io.godwit.mqtt.top.TrafficCount;
import io.godwit.mqtt.top.TrafficKey;
import io.godwit.mqtt.top.TrafficKind;
import io.godwit.mqtt.topic.TopicRules;
import io.godwit.mqtt.trace.Tracing;
import io.godwit.mqtt.transport.AllocatorMeters;
import io.godwit.mqtt.transport.BanConfig;
import io.godwit.mqtt.transport.Bans;
import io.godwit.mqtt.transport.CertificateWatch;
import io.godwit.mqtt.transport.DescriptorBudget;
import io.godwit.mqtt.transport.EventLoops;
import io.godwit.mqtt.transport.HalfReceived;
import io.godwit.mqtt.transport.JvmMemory;
import io.godwit.mqtt.transport.Listener;
import io.godwit.mqtt.transport.ListenerConfig;
import io.godwit.mqtt.transport.MemoryConfig;
import io.godwit.mqtt.transport.MemoryGauge;
import io.godwit.mqtt.transport.MemoryGuard;
import io.godwit.mqtt.transport.MqttMetrics;
import io.godwit.mqtt.transport.MqttReports;
import io.godwit.mqtt.transport.OpenCount;
import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.event.EventListener;
import io.godwit.retain.client.RetainClient;
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
 * on; {@link #start} opens the listeners, so it is called when the stores serve; {@link #close} ends every connection
 * and returns when their sessions have been handed back to the stores, which are closed after it.
 */
public final class MqttServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MqttServer.class);
    /** For clients to read why, and to close their end. Others may serve them soon after. */
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
    /** For connections from now on. Volatile: replaced while they come, on any loop. */
    private volatile ConnectServices services;

    private final CertificateWatch certificates;
    private final MemoryGuard memoryGuard;
    private final List<Listener> listeners = new ArrayList<>();
    /** All of them, once they are open. Volatile: read by whoever reconfigures. */
    private volatile List<Listener> started = List.of();

    private boolean isClosed;

    public MqttServer(
            MqttConfig config,
            DistClient dist,
            InboxClient inbox,
            RetainClient retain,
            SessionDirectory directory,
            AuthProvider auth,
            EventListener events,
            MeterRegistry meters,
            LongSupplier nowMillis) {
        this(config, dist, inbox, retain, directory, auth, events, meters, nowMillis, new Tracing());
    }

    /** @param tracing what is followed on its way */
    public MqttServer(
            MqttConfig config,
            DistClient dist,
            InboxClient inbox,
            RetainClient retain,
            SessionDirectory directory,
            AuthProvider auth,
            EventListener events,
            MeterRegistry meters,
            LongSupplier nowMillis,
            Tracing tracing) {
        this(config, dist, inbox, retain, directory, auth, events, meters, nowMillis, new JvmMemory(), tracing);
    }

    /**
     * @param nowMillis wall time, of the same clock as the stores have
     * @param memory what the guard of the memory looks at
     */
    public MqttServer(
            MqttConfig config,
            DistClient dist,
            InboxClient inbox,
            RetainClient retain,
            SessionDirectory directory,
            AuthProvider auth,
            EventListener events,
            MeterRegistry meters,
            LongSupplier nowMillis,
            MemoryGauge memory) {
        this(config, dist, inbox, retain, directory, auth, events, meters, nowMillis, memory, new Tracing());
    }

    MqttServer(
            MqttConfig config,
            DistClient dist,
            InboxClient inbox,
            RetainClient retain,
            SessionDirectory directory,
            AuthProvider auth,
            EventListener events,
            MeterRegistry meters,
            LongSupplier nowMillis,
            MemoryGauge memory,
            Tracing tracing) {
        this.config = config;
        this.auth = auth;
        this.directory = directory;
        this.reports = new MqttReports(new MqttMetrics(meters), events, tracing);
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
                dist,
                inbox,
                retain,
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
     * A member of a cluster, before {@link #start}.
     *
     * @param proof whether this node has proved lately that it serves; asked on event loops after they have stood still
     */
    public void dependOn(BooleanSupplier proof) {
        loops.dependOn(proof);
    }

    /**
     * Before {@link #start}.
     *
     * @param serverReference what clients of MQTT 5.0 are told to use instead when this server tells them to go
     *     [MQTT5-4.11]
     */
    public void referTo(String serverReference) {
        loops.referTo(serverReference);
    }

    /** Before {@link #start}: plugins see the messages of all sessions. */
    public void intercept(Interceptors interceptors) {
        services = services.reconfigured(services.session().intercepted(interceptors));
    }

    /** Before {@link #start}: has {@code placing} say which clients are to use another server. */
    public void placeClients(ClientPlacing placing) {
        services = services.placedBy(placing);
    }

    /** How many clients are connected to this node, about. Any thread. */
    public long connections() {
        return reports.metrics().connected();
    }

    /** Who is connected to this node; from construction on. */
    public ConnectedClients clients() {
        return clients;
    }

    /**
     * Whom operators have banned; from construction on. Whoever is put there is refused from then on, and disconnected
     * when it is connected, by a client id at once, else within two seconds.
     */
    public BanTable operatorBans() {
        return operatorBans;
    }

    /**
     * What is said of tenants; from construction on. What is said there holds for connections from then on, and within
     * two seconds for those that are open, as far as {@link io.godwit.plugin.tenant.TenantSetting#reach} says so.
     */
    public Tenants tenants() {
        return tenants;
    }

    /** Whom this node keeps out, by itself too; from construction on. Any thread. */
    public Bans bans() {
        return bans;
    }

    /** Changes subscriptions of stored sessions whose clients are not connected, by the limits in force now. */
    public StoredSubscriber storedSubscriber() {
        return new StoredSubscriber(services.session(), directory);
    }

    /** Whether the topics of some clients stand below a mount point of their listener. */
    public boolean hasMountPoints() {
        return config.listeners().stream().anyMatch(each -> !each.mountPoint().isEmpty());
    }

    /**
     * The clients or topics of this node with most messages in the last minute, see {@link Traffic#top}. From
     * construction on.
     */
    public CompletableFuture<List<TrafficCount>> traffic(
            TrafficKind kind, Predicate<TrafficKey> wanted, int limit, Executor merging) {
        return services.session().traffic().top(loops.contexts(), kind, wanted, limit, merging);
    }

    /** Takes deliveries to the live sessions of this node. */
    public Deliverer liveDeliverer() {
        return fanOut;
    }

    /**
     * Opens the listeners and returns them, in the order of the configuration. Blocks until they listen. When it fails,
     * {@link #close} is due.
     */
    public List<Listener> start() throws IOException {
        DescriptorBudget descriptors =
                DescriptorBudget.ofProcess(config.transport().io()); // the stores have their files open by now
        LOG.info("connections at most {}", descriptors);
        Listener.Services shared = new Listener.Services(
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
     * Goes on with another configuration, as far as that can be done without a restart. Connections made from now on
     * have the limits of their listener, of decoding, of {@link SessionConfig} and of {@link AuthConfig#timeout} and
     * denied publishes; those that are open keep theirs, and count. {@link MemoryConfig} and {@link BanConfig} take
     * effect at once; whoever is banned stays so until the time that was told. All else is left as it is: addresses and
     * TLS of listeners, {@link TopicRules}, where tenants come from, event loops, the room for large packets,
     * {@code maxUnstoredNodeBytes}, who may take over sessions. Any thread, after {@link #start}.
     *
     * @param next with a listener for each that was started, in the same order
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
     * Ends the connections that there are now: the other members of the cluster have gone on without this node, and its
     * clients may be theirs by now. What they have published is not waited for, since this node acknowledges none of
     * it: clients send it again. Clients that do not close their end within a second are cut. Any thread.
     *
     * @return complete, on an event loop, once none of them is left
     */
    public CompletableFuture<Void> endConnections() {
        return loops.endConnections(END_PATIENCE);
    }

    /** No new connections are accepted; those that there are stay. Blocks for a moment. Further calls do nothing. */
    public synchronized void stopListening() {
        listeners.forEach(Listener::close);
        listeners.clear();
    }

    /**
     * Tells the clients that there are now to go, at an even rate: publishes under way are acknowledged first, 5.0
     * clients are told why. What has not gone the drain time-out after the last was told is cut. Any thread.
     *
     * @return complete, on an event loop, once none of them is left
     */
    public CompletableFuture<Void> sendAway(Duration over) {
        return loops.endConnections(over, config.transport().drainTimeout());
    }

    /**
     * Drains: accepts no more, lets publishes under way be acknowledged, tells 5.0 clients that the server shuts down,
     * closes all connections and waits until the stores have their sessions back; no longer than the drain time-out.
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
