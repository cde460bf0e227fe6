package io.godwit.inbox;

import io.godwit.inbox.carrier.InboxPeers;
import io.godwit.inbox.carrier.home.HomeSettings;
import io.godwit.inbox.carrier.peer.AgreedMembers;
import io.godwit.inbox.client.InboxClient;
import io.godwit.inbox.client.catalog.SessionCatalog;
import io.godwit.inbox.edge.InboxEdge;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.leader.InboxCoprocessor;
import io.godwit.inbox.leader.state.Surroundings;
import io.godwit.inbox.ledger.MovedSessions;
import io.godwit.inbox.ledger.QueueBounds;
import io.godwit.inbox.ledger.QueueSettings;
import io.godwit.inbox.ledger.TenantQueues;
import io.godwit.inbox.local.LocalCarrier;
import io.godwit.inbox.local.LocalHome;
import io.godwit.inbox.local.StoredInboxes;
import io.godwit.inbox.report.InboxReports;
import io.godwit.inbox.report.RecordCount;
import io.godwit.inbox.report.Stock;
import io.godwit.kv.client.Backoff;
import io.godwit.kv.client.Leaders;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.EventListener;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The inbox store: queues, subscriptions and wills of sessions that outlive their connection.
 *
 * <p>Packages: {@code client} is the interface for other modules; {@code protocol} has the commands and replies between
 * edges and leaders, and {@code edge} makes commands of the calls; {@code local} and {@code carrier} carry them to the
 * leader; {@code format} is the stored data ({@code InboxKeys} first), {@code ledger} a leader's memory of a queue, and
 * {@code leader} the state machine and the leader ({@code InboxLeader} describes the life of a message and the order of
 * crash points); {@code report} has events and meters for operators; {@code expiry} orders inboxes by time;
 * {@code session} knows which connection holds a client id.
 *
 * <p>Wiring: {@link #coprocessorFactory} makes the state machines of the store's ranges, which are first split at
 * {@link #splitKeys}; {@link #client} is the interface on top of the ranges.
 */
public final class InboxStore {
    private static final Logger LOG = LoggerFactory.getLogger(InboxStore.class);

    /** Detached inboxes that a range keeps in memory after their last use. */
    private static final int MAX_IDLE_INBOXES = 4096;

    /** Interval between checks for handed-over state that no leader has fetched. */
    private static final long FORGET_SECONDS = 5;

    private final QueueSettings settings;
    private final Surroundings outside;
    private final RecordCount records;
    private final StoredInboxes storedInboxes = new StoredInboxes();

    /**
     * @param isCounted client ids that {@link #countedRecords} counts; each one takes memory
     * @param takesStock whether the contents of the queues are counted for the meters
     *     {@code godwit.inbox.sessions.detached}, {@code .messages} and {@code .payload.bytes}; each leader then reads
     *     all its queues once
     */
    public InboxStore(
            InboxConfig config,
            InboxOutlets outlets,
            Predicate<ClientId> isCounted,
            boolean takesStock,
            EventListener events,
            MeterRegistry meters) {
        this(config, outlets, isCounted, takesStock, events, meters, Duration.ZERO, Integer.MAX_VALUE);
    }

    /**
     * As the other constructor, for a cluster.
     *
     * @param attachedWait how long a new leader waits for the connections of sessions that are stored as attached
     *     before their wills are due; must be longer than edges need to find the leader
     * @param lostWillsPerSecond how many of these wills become due in a second; at least 1
     */
    public InboxStore(
            InboxConfig config,
            InboxOutlets outlets,
            Predicate<ClientId> isCounted,
            boolean takesStock,
            EventListener events,
            MeterRegistry meters,
            Duration attachedWait,
            int lostWillsPerSecond) {
        settings = new QueueSettings(
                new QueueBounds(
                        config.maxQueuedMessages(),
                        config.dropPolicy() == InboxConfig.DropPolicy.OLDEST,
                        config.queueQos0() ? config.maxQueuedQos0() : 0),
                new TenantQueues(),
                config.maxQueuedQos0Bytes(),
                config.maxSessionExpiry().toSeconds(),
                config.earlyPush(),
                MAX_IDLE_INBOXES,
                attachedWait.toMillis());
        records = new RecordCount(isCounted);
        outside = new Surroundings(
                outlets.wills()::publish,
                outlets.wills()::finished,
                outlets.routes()::remove,
                outlets.groups()::give,
                new InboxReports(events, meters),
                records,
                storedInboxes,
                new MovedSessions(lostWillsPerSecond),
                takesStock ? meteredStock(meters) : null,
                Backoff.RANDOM);
    }

    /**
     * Sets the queue bounds of a tenant from the next message on; messages already queued stay. Only the bounds set on
     * the node that leads an inbox have an effect. Any thread.
     *
     * @param own null to use the bounds of the node again
     */
    public void bound(TenantId tenant, @Nullable TenantQueue own) {
        settings.tenants()
                .bound(
                        tenant,
                        own == null
                                ? null
                                : new QueueBounds(
                                        own.maxQueuedMessages(),
                                        own.dropPolicy() == InboxConfig.DropPolicy.OLDEST,
                                        own.queueQos0() ? own.maxQueuedMessages() : 0,
                                        own.maxBytesOfTenant()));
    }

    /**
     * Sets how many bytes of payloads may wait for the sessions of tenants in the ranges led here. The limit of
     * {@link #bound} holds too, and alone for tenants that are not in the map. Replaces the map of the last call. Any
     * thread.
     */
    public void boundBytes(Map<TenantId, Long> most) {
        settings.tenants().mostBytes(most);
    }

    private static Stock meteredStock(MeterRegistry meters) {
        Stock stock = new Stock();
        Gauge.builder("godwit.inbox.sessions.detached", stock, Stock::detachedSessions)
                .description("stored sessions whose client is not connected")
                .register(meters);
        Gauge.builder("godwit.inbox.messages", stock, Stock::messages)
                .description("messages in the queues of stored sessions")
                .register(meters);
        Gauge.builder("godwit.inbox.payload.bytes", stock, Stock::payloadBytes)
                .baseUnit(BaseUnits.BYTES)
                .description("bytes of their payloads, about")
                .register(meters);
        return stock;
    }

    /**
     * Stored sessions of a tenant without a connection, in the ranges led here; 0 without a stock. Too low for a while
     * after a leadership begins. Any thread, at once.
     */
    public long detachedSessions(TenantId tenant) {
        Stock stock = outside.stock();
        return stock == null ? 0 : stock.detachedSessions(tenant);
    }

    /** The same of all tenants. */
    public long detachedSessions() {
        Stock stock = outside.stock();
        return stock == null ? 0 : stock.detachedSessions();
    }

    /** Bytes of the payloads that wait for stored sessions of a tenant; as {@link #detachedSessions(TenantId)}. */
    public long queuedBytes(TenantId tenant) {
        Stock stock = outside.stock();
        return stock == null ? 0 : stock.payloadBytes(tenant);
    }

    /** Tenants with {@link #queuedBytes}. Any thread, at once. */
    public Set<TenantId> queuedTenants() {
        Stock stock = outside.stock();
        return stock == null ? Set.of() : stock.tenants();
    }

    /** @param told gets the tenant of each message that a queue drops; called on any thread, must return at once */
    public void onDrop(Consumer<TenantId> told) {
        outside.reports().onDrop(told);
    }

    /** The factory of the state machines, one for each range of the store. */
    public Supplier<RangeCoprocessor> coprocessorFactory() {
        return () -> new InboxCoprocessor(settings, outside);
    }

    /**
     * How many of the counted client ids have a session, or a will still to be published, in the ranges led here. Too
     * low for a while after a leadership begins. Any thread.
     */
    public long countedRecords() {
        return records.total();
    }

    /** The same of one tenant. */
    public long countedRecords(TenantId tenant) {
        return records.total(tenant);
    }

    /**
     * {@code ranges - 1} keys that split the default tenant into parts with about the same number of sessions.
     *
     * @param ranges 1 to 256
     */
    public static List<byte[]> splitKeys(int ranges) {
        return InboxKeys.splitKeys(ranges);
    }

    /**
     * The client interface over the ranges of the store. The ranges led on this node must use the
     * {@link #coprocessorFactory} of this object.
     */
    public InboxClient client(RangeClient ranges) {
        return new InboxEdge(new LocalCarrier(ranges, storedInboxes));
    }

    /**
     * The catalog of stored sessions for operators.
     *
     * @param wallMillis milliseconds since the epoch, of the same clock as the ranges use
     */
    public static SessionCatalog catalog(RangeClient ranges, LongSupplier wallMillis) {
        return new RangedSessionCatalog(ranges, wallMillis);
    }

    /**
     * The carriers of a cluster, where this node and others lead the ranges of the store.
     *
     * @param leaders names nodes as the links do
     * @param members names nodes as the links do
     * @param timers starts each task when it is due
     * @param wallMillis milliseconds since the epoch, of the same clock as the ranges and the frontends of this node
     *     use
     */
    public InboxPeers peers(
            RangeClient ranges,
            Leaders leaders,
            AgreedMembers members,
            HomeSettings homes,
            ScheduledExecutorService timers,
            LongSupplier wallMillis) {
        forgetMoved(timers, wallMillis);
        return new InboxPeers(
                leaders,
                () -> new LocalHome(ranges, outside.reports()),
                members,
                homes,
                outside.reports().waits(),
                timers,
                wallMillis);
    }

    /** The next leader may be on another node, which never fetches the state that a leader here has left in memory. */
    @SuppressWarnings("FutureReturnValueIgnored") // ends with the timers
    void forgetMoved(ScheduledExecutorService timers, LongSupplier wallMillis) {
        timers.scheduleWithFixedDelay(
                () -> {
                    try {
                        outside.moved().forgetOld(wallMillis.getAsLong(), outside.reports());
                    } catch (RuntimeException | Error e) { // outermost frame: must not end the schedule
                        LOG.error("moved sessions not looked at", e);
                    }
                },
                FORGET_SECONDS,
                FORGET_SECONDS,
                TimeUnit.SECONDS);
    }
}
