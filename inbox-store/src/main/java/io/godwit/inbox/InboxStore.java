package io.godwit.inbox;

import io.godwit.inbox.carrier.AgreedMembers;
import io.godwit.inbox.carrier.HomeSettings;
import io.godwit.inbox.carrier.InboxPeers;
import io.godwit.inbox.client.InboxClient;
import io.godwit.inbox.client.SessionCatalog;
import io.godwit.inbox.edge.InboxEdge;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.leader.InboxCoprocessor;
import io.godwit.inbox.leader.Surroundings;
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
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The inbox store: queues, subscriptions and wills of sessions that outlive their connection.
 *
 * <p>Packages: {@code client} is what others import; {@code protocol} what edges and leaders say to each other, which
 * {@code edge} makes of the calls; {@code local} and {@code carrier} bring it across; {@code format} has what is stored
 * ({@code InboxKeys} first), {@code ledger} what a leader has in memory of a queue, and {@code leader} the state
 * machine and the leader ({@code InboxLeader} tells the life of a message and the order of crash points);
 * {@code report} tells operators; {@code expiry} knows about time; {@code session} knows which connection of this node
 * holds a client id.
 *
 * <p>Wiring: the ranges of the store are made with {@link #coprocessorFactory}, cut first at {@link #splitKeys};
 * {@link #client} is then put on top of them.
 */
public final class InboxStore {
    /** Detached sessions that a range keeps in memory after use. */
    private static final int MAX_IDLE_INBOXES = 4096;

    /** How often it is looked for what leaders have left and none has come for. */
    private static final long FORGET_SECONDS = 5;

    private final QueueSettings settings;
    private final Surroundings outside;
    private final RecordCount records;
    private final StoredInboxes storedInboxes = new StoredInboxes();

    /**
     * @param isCounted the client ids for {@link #countedRecords}; each of them costs a place in memory
     * @param takesStock whether what the queues hold is counted, for the meters {@code godwit.inbox.sessions.detached},
     *     {@code .messages} and {@code .payload.bytes}; each leader reads them all once for that
     */
    public InboxStore(
            InboxConfig config,
            WillPublisher willPublisher,
            RouteRemover routeRemover,
            GroupPublisher groupPublisher,
            Predicate<ClientId> isCounted,
            boolean takesStock,
            EventListener events,
            MeterRegistry meters) {
        this(
                config,
                willPublisher,
                routeRemover,
                groupPublisher,
                isCounted,
                takesStock,
                events,
                meters,
                Duration.ZERO,
                Integer.MAX_VALUE);
    }

    /**
     * The same in a cluster.
     *
     * @param attachedWait how long a new leader waits for the connections of sessions that are stored as attached,
     *     before their wills are due; more than edges take to find it
     * @param lostWillsPerSecond how many of these wills become due in a second; at least 1
     */
    public InboxStore(
            InboxConfig config,
            WillPublisher willPublisher,
            RouteRemover routeRemover,
            GroupPublisher groupPublisher,
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
                willPublisher::publish,
                willPublisher::finished,
                routeRemover::remove,
                groupPublisher::give,
                new InboxReports(events, meters),
                records,
                storedInboxes,
                new MovedSessions(lostWillsPerSecond),
                takesStock ? meteredStock(meters) : null,
                Backoff.RANDOM);
    }

    /**
     * Other bounds for the queues of a tenant, from the next message on; what waits stays. The node that leads an inbox
     * counts. Any thread.
     *
     * @param own null for those of the node
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
     * How many bytes of payloads may wait for the sessions of tenants in the ranges led here, beside what
     * {@link #bound} says: of tenants that are not there as many as that. Replaces what was said before. Any thread.
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
     * when a leadership begins. Any thread, at once.
     */
    public long detachedSessions(TenantId tenant) {
        Stock stock = outside.stock();
        return stock == null ? 0 : stock.detachedSessions(tenant);
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

    /** Makes the state machine of each range of the store. */
    public Supplier<RangeCoprocessor> coprocessorFactory() {
        return () -> new InboxCoprocessor(settings, outside);
    }

    /**
     * How many of the client ids that are counted have a session, or a will still to be published, in the ranges led
     * here. Too low for a while when a leadership begins. Any thread.
     */
    public long countedRecords() {
        return records.total();
    }

    /**
     * {@code ranges - 1} keys that cut the default tenant into parts of about the same number of sessions; 1 to 256
     * ranges.
     */
    public static List<byte[]> splitKeys(int ranges) {
        return InboxKeys.splitKeys(ranges);
    }

    /**
     * The store as others use it, over its ranges, of which those led here run on this object's
     * {@link #coprocessorFactory}.
     */
    public InboxClient client(RangeClient ranges) {
        return new InboxEdge(new LocalCarrier(ranges, storedInboxes));
    }

    /**
     * What operators see of the store, over its ranges.
     *
     * @param wallMillis milliseconds since the epoch, of the clock that the ranges have
     */
    public static SessionCatalog catalog(RangeClient ranges, LongSupplier wallMillis) {
        return new RangedSessionCatalog(ranges, wallMillis);
    }

    /**
     * The store of a cluster, led by this node and others.
     *
     * @param leaders name nodes as the links do
     * @param members name nodes as the links do
     * @param timers hands tasks on when they are due
     * @param wallMillis milliseconds since the epoch, of the clock that the ranges and the frontends of this node have
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

    /** The next leader of what a leader here has left may be on another node, and none here look. */
    @SuppressWarnings("FutureReturnValueIgnored") // ends with the timers
    private void forgetMoved(ScheduledExecutorService timers, LongSupplier wallMillis) {
        timers.scheduleWithFixedDelay(
                () -> outside.moved().forgetOld(wallMillis.getAsLong(), outside.reports()),
                FORGET_SECONDS,
                FORGET_SECONDS,
                TimeUnit.SECONDS);
    }
}
