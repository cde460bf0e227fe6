package io.godwit.dist;

import io.godwit.dist.client.Delayer;
import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistClient;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.GroupInfo;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.LiveReceiver;
import io.godwit.dist.client.Publisher;
import io.godwit.dist.client.Receiver;
import io.godwit.dist.client.RouteNumber;
import io.godwit.dist.client.SharedPick;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.dist.client.TopicReceivers;
import io.godwit.dist.deliver.DistCounters;
import io.godwit.dist.deliver.FanOut;
import io.godwit.dist.deliver.HeldPublishes;
import io.godwit.dist.deliver.OtherNodes;
import io.godwit.dist.deliver.OwnReceivers;
import io.godwit.dist.deliver.ServedReceivers;
import io.godwit.dist.deliver.SharedChoices;
import io.godwit.dist.deliver.StrayRoutes;
import io.godwit.dist.index.GroupList;
import io.godwit.dist.index.ReceiverList;
import io.godwit.dist.index.SubscriptionCounts;
import io.godwit.dist.index.TenantIndex;
import io.godwit.dist.index.TopicIndex;
import io.godwit.dist.index.share.GroupMember;
import io.godwit.dist.index.share.SharedGroup;
import io.godwit.dist.member.Members;
import io.godwit.dist.member.view.CurrentView;
import io.godwit.dist.peer.LivePeers;
import io.godwit.dist.peer.filter.RemoteMember;
import io.godwit.dist.peer.link.ClusterParts;
import io.godwit.dist.record.RecordIndex;
import io.godwit.dist.record.RecordStore;
import io.godwit.dist.route.RouteCoprocessor;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.Resend;
import io.godwit.kv.client.WaitReports;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.event.NodeWait;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.topic.TopicFilter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Matches every publish of this node against all subscriptions and delivers it: to live receivers from memory, to
 * persistent sessions by the routes of the dist store, of which every node holds a replica.
 *
 * <p>Life cycle: {@link #coprocessorFactory} is given to the dist store, whose ranges rebuild the index when they open;
 * then {@link #start} gets the store's client. {@link #client} may be used before: publishing and live subscriptions
 * need no store; routes fail with {@code CLOSED} until the start and after the close.
 */
public final class DistWorker implements AutoCloseable {
    private final DistConfig config;
    private final Supplier<RangeClient> ranges;
    private final TopicIndex index;
    private final FanOut.Deliverers deliverers;
    private final CurrentView members = new CurrentView();
    private final Client client = new Client();
    private final WaitReports waits;
    private final NewSubscriptions newSubscriptions = new NewSubscriptions();
    /** Null on a node that is alone. */
    private final @Nullable LivePeers peers;
    /** Null on a node that is alone, where no other node writes its routes. */
    private final @Nullable RemovalsAgain removals;

    private final RecordStore records;
    private final Members serving;
    private volatile @Nullable RouteStore routes;
    private volatile @Nullable RangeClient open;

    /** For a node that is alone. */
    public DistWorker(
            DistConfig config,
            Supplier<RangeClient> ranges,
            Deliverer live,
            Deliverer inbox,
            Delayer delayer,
            EventListener events,
            MeterRegistry meters) {
        this(config, ranges, live, inbox, delayer, events, meters, null);
    }

    /**
     * @param ranges supplies the client of the dist store; called once by {@link #start}
     * @param live gets the deliveries to live receivers
     * @param inbox gets the deliveries to persistent sessions
     * @param delayer gets messages to be published later
     * @param cluster parts of the cluster that the node belongs to; null when it is alone
     */
    public DistWorker(
            DistConfig config,
            Supplier<RangeClient> ranges,
            Deliverer live,
            Deliverer inbox,
            Delayer delayer,
            EventListener events,
            MeterRegistry meters,
            @Nullable ClusterParts cluster) {
        this.config = config;
        this.ranges = ranges;
        this.index = cluster == null
                ? new TopicIndex(config.strategies())
                : new TopicIndex(config.strategies(), RemoteMember.nameOf(cluster.nodeId()), this::keeps);
        this.waits = new WaitReports(
                events,
                meters,
                NodeWait.CONFIRMATION,
                NodeWait.SHARED_CHOICE,
                NodeWait.ROUTE,
                NodeWait.PROOF,
                NodeWait.HELD_MESSAGE);
        LongSupplier nanoTime = cluster == null ? System::nanoTime : cluster.nanoTime();
        SharedChoices choices = new SharedChoices(nanoTime);
        ServedReceivers served = new ServedReceivers(nanoTime);
        this.peers = cluster == null
                ? null
                : new LivePeers(
                        cluster,
                        new OwnReceivers(index, live, served, choices),
                        this::chooseAnother,
                        events,
                        waits,
                        meters);
        this.removals = cluster == null ? null : removalsAgain(cluster, meters);
        this.serving = cluster == null ? Members.ALONE : cluster.members();
        this.records = new RecordStore(
                () -> open,
                new RecordIndex(),
                new RecordsInForce(),
                cluster == null ? Optional::empty : cluster.recordsLack());
        OtherNodes others = peers == null ? OtherNodes.NONE : peers;
        this.deliverers = new FanOut.Deliverers(
                peers == null ? live : peers.live(),
                inbox,
                new DistCounters(meters),
                events,
                new StrayRoutes(client::removeStrayRoutes),
                choices,
                delayer,
                served,
                others,
                new HeldPublishes(others));
        register(meters, "live", SubscriptionCounts::live, SubscriptionCounts::liveShared);
        register(meters, "stored", SubscriptionCounts::stored, SubscriptionCounts::storedShared);
        Gauge.builder("godwit.dist.filters.of.nodes", index, all -> all.counts().ofNodes())
                .description("filters of live sessions of other nodes, counted for each node that has some")
                .register(meters);
        Gauge.builder("godwit.dist.filters", index, all -> all.counts().filters())
                .description("different filters that publishes are matched against, those of other nodes' clients too")
                .register(meters);
    }

    private void keeps(TenantId tenant, TopicFilter filter, Receiver receiver) {
        LivePeers others = peers;
        if (others != null) {
            others.keeps(tenant, filter, receiver);
        }
    }

    private RemovalsAgain removalsAgain(ClusterParts cluster, MeterRegistry meters) {
        RemovalsAgain made = new RemovalsAgain(
                cluster.timers(),
                cluster.nanoTime(),
                config.routeTimeout().plus(RemovalsAgain.ON_ITS_WAY),
                (filter, receiver) -> options(receiver.tenant(), filter, receiver) != null,
                (filter, receiver, number) -> withStore(store -> store.removeAgain(filter, receiver, number)));
        FunctionCounter.builder("godwit.dist.routes.removed.again", made.counter(), LongAdder::doubleValue)
                .description("routes that came back behind their removal, and were removed again")
                .register(meters);
        return made;
    }

    private void register(
            MeterRegistry meters,
            String sessions,
            ToLongFunction<SubscriptionCounts> all,
            ToLongFunction<SubscriptionCounts> shared) {
        Gauge.builder("godwit.dist.subscriptions", index, of -> all.applyAsLong(of.counts()))
                .description("subscriptions that publishes are matched against: of live sessions of this node, of"
                        + " stored sessions of all nodes")
                .tag("sessions", sessions)
                .register(meters);
        Gauge.builder("godwit.dist.subscriptions.shared", index, of -> shared.applyAsLong(of.counts()))
                .description("of these, subscriptions to shared groups")
                .tag("sessions", sessions)
                .register(meters);
    }

    private CompletableFuture<DistOutcome> chooseAnother(Delivery from, Deliverer live) {
        TenantIndex tenant = index.tenant(from.publisher().tenant());
        return new FanOut(from.publisher(), from.asked(), tenant, deliverers.withLive(live))
                .chooseAnother(tenant, from);
    }

    /** The factory of the state machines, one for each range of the dist store. */
    public Supplier<RangeCoprocessor> coprocessorFactory() {
        return () -> new RouteCoprocessor(index, members, records.index());
    }

    /** The agreed members, as the replicas of the dist store here have them. */
    public CurrentView members() {
        return members;
    }

    /**
     * The records of operators. Their index works from construction on, changes from {@link #start} to {@link #close}.
     */
    public RecordStore records() {
        return records;
    }

    /** As for a SUBACK: waits until this node and every other member have applied all that is committed. */
    private final class RecordsInForce implements RecordStore.Confirmation {
        @Override
        public CompletableFuture<List<String>> confirmed(Deadline deadline) {
            LivePeers others = peers;
            return others == null ? CompletableFuture.completedFuture(List.of()) : others.unconfirmedBy(deadline);
        }

        @Override
        public CompletableFuture<Void> appliedHere(Deadline deadline) {
            LivePeers others = peers;
            return others == null
                    ? CompletableFuture.completedFuture(null) // a lone node lacks nothing, so nobody asks
                    : others.untilAppliedHere(deadline);
        }
    }

    public void start() {
        RangeClient client = ranges.get();
        open = client;
        routes = new RouteStore(client, config.routeTimeout(), serving);
    }

    /** Refuses routes and stops exclusions of members. Does not close the store. Call it before the links close. */
    @Override
    public void close() {
        routes = null;
        open = null;
        if (removals != null) {
            removals.close();
        }
        if (peers != null) {
            peers.close();
        }
    }

    /** The receiver of link events; null on a node that is alone. */
    public @Nullable LivePeers peers() {
        return peers;
    }

    public DistClient client() {
        return client;
    }

    /**
     * Lists the stored routes of {@code tenant}, a page at a time, for operators. Begins with {@code cursor} null; a
     * page may be short, even empty, and still have a next one. Fails with {@link RangeException}.
     *
     * @param maxRoutes most routes of the page, at least 1
     */
    public CompletableFuture<RoutePage> listRoutes(TenantId tenant, @Nullable String cursor, int maxRoutes) {
        return withStore(store -> store.list(tenant, cursor, maxRoutes));
    }

    /** Number of subscriptions of a tenant that this node knows. Any thread, at once. */
    public SubscriptionCounts counts(TenantId tenant) {
        TenantIndex known = index.known(tenant);
        return known == null ? SubscriptionCounts.NONE : known.counts();
    }

    /**
     * Number of members of a shared group in the cluster, as far as this node knows: other nodes report the number of
     * their live members within about 200 ms. Any thread, at once.
     */
    public int membersOf(TenantId tenant, TopicFilter shared) {
        TenantIndex known = index.known(tenant);
        SharedGroup group = known == null ? null : known.group(shared);
        return group == null ? 0 : group.memberCount();
    }

    /**
     * The receivers that a message of {@code topic} would have now, for operators: live sessions of this node, and
     * stored ones. Takes as long as one match; call it only on a thread that may block so long.
     *
     * @param topic a valid topic name
     * @param most limit on the live and on the stored receivers listed, each
     */
    public TopicReceivers receivers(TenantId tenant, String topic, int most) {
        TenantIndex known = index.known(tenant);
        return known == null ? TopicReceivers.NONE : ReceiverList.of(known, topic, most);
    }

    /** The receivers that are subscribed to exactly this filter, as for {@link #receivers}; visits all of them. */
    public TopicReceivers subscribers(TenantId tenant, TopicFilter filter, int most) {
        TenantIndex known = index.known(tenant);
        return known == null ? TopicReceivers.NONE : ReceiverList.of(known, filter, most);
    }

    /**
     * The shared groups of a tenant, with members on all nodes, sorted by the text of their filters; for operators.
     * Visits all filters of the tenant; call it only on a thread that may block so long.
     *
     * @param shareName only groups with this name; null for any
     * @param filter only groups on this filter, given without the share name; null for any
     * @param after only groups whose shared filter sorts after this text; null for the first page
     * @param most at least 1
     */
    public List<GroupInfo> groups(
            TenantId tenant, @Nullable String shareName, @Nullable String filter, @Nullable String after, int most) {
        TenantIndex known = index.known(tenant);
        return known == null ? List.of() : GroupList.of(known, shareName, filter, after, most);
    }

    /** The options of a subscription that this node's matcher has; null when it has none. Any thread. */
    public @Nullable SubscriptionOptions options(TenantId tenant, TopicFilter filter, Receiver receiver) {
        TenantIndex known = index.known(tenant);
        return known == null ? null : known.options(filter, receiver);
    }

    private <T> CompletableFuture<T> withStore(Function<RouteStore, CompletableFuture<T>> action) {
        RouteStore store = routes;
        return store != null
                ? action.apply(store)
                : CompletableFuture.failedFuture(
                        new RangeException(RangeException.Cause.CLOSED, "the dist-worker is not started"));
    }

    private record LiveSubscription(TenantId tenant, TopicFilter filter, LiveReceiver receiver) {}

    private final class Client implements DistClient {
        @Override
        public Publisher publisher(ClientInfo info, @Nullable SharedPick asked) {
            return new FanOut(info, asked, index.tenant(info.tenant()), deliverers);
        }

        @Override
        public Publisher publisher(ClientInfo info, Resend resend) {
            return new FanOut(info, index.tenant(info.tenant()), deliverers, resend);
        }

        @Override
        public Publisher publisher(ClientInfo info, @Nullable SharedPick asked, Executor thread) {
            return new FanOut(info, asked, index.tenant(info.tenant()), deliverers, thread);
        }

        @Override
        public void finished(String tokenOrigin, long tokenNumber) {
            deliverers.choices().finished(tokenOrigin, tokenNumber);
            deliverers.served().finished(tokenOrigin, tokenNumber);
            deliverers.others().finished(tokenOrigin, tokenNumber);
        }

        @Override
        public CompletableFuture<Boolean> subscribe(
                TenantId tenant, TopicFilter filter, LiveReceiver receiver, SubscriptionOptions options) {
            boolean isNew = index.tenant(tenant).add(filter, receiver, options);
            return peers == null
                    ? CompletableFuture.completedFuture(isNew)
                    : tellSubscribed(peers, new LiveSubscription(tenant, filter, receiver), isNew);
        }

        /** The subscription is in force here; when this completes, publishes at every other node find it. */
        private CompletableFuture<Boolean> tellSubscribed(LivePeers others, LiveSubscription added, boolean isNew) {
            long number = isNew ? newSubscriptions.begin(added.receiver, added.filter) : 0;
            if (isNew && !others.subscribed(added.tenant, added.filter, added.receiver.filterBytes())) {
                newSubscriptions.end(added.receiver, added.filter, number);
                index.tenant(added.tenant).remove(added.filter, added.receiver);
                return CompletableFuture.failedFuture(new RangeException(
                        RangeException.Cause.OVERLOADED, "the other nodes have no room for more filters of this one"));
            }
            return others.untilAllKnow(added.tenant, added.filter)
                    .handle((known, failure) -> {
                        boolean isNewest = isNew && newSubscriptions.end(added.receiver, added.filter, number);
                        if (failure == null && isInForce(added)) {
                            return CompletableFuture.completedFuture(isNew);
                        }
                        if (isNewest) {
                            unsubscribe(added.tenant, added.filter, added.receiver);
                        }
                        return CompletableFuture.<Boolean>failedFuture(new RangeException(
                                RangeException.Cause.OVERLOADED,
                                "a subscription could not be told to all nodes: "
                                        + (failure == null ? "it was given up" : failure.getMessage())));
                    })
                    .thenCompose(Function.identity());
        }

        /** An earlier call for the same filter may have failed meanwhile and removed the subscription. */
        private boolean isInForce(LiveSubscription added) {
            return index.tenant(added.tenant).has(added.filter, added.receiver);
        }

        @Override
        public CompletableFuture<Boolean> unsubscribe(TenantId tenant, TopicFilter filter, LiveReceiver receiver) {
            boolean removed = index.tenant(tenant).remove(filter, receiver);
            if (removed && peers != null) {
                peers.unsubscribed(tenant, filter);
            }
            return CompletableFuture.completedFuture(removed);
        }

        @Override
        public CompletableFuture<DistOutcome> handOn(Delivery from) {
            TenantIndex tenant = index.tenant(from.publisher().tenant());
            return new FanOut(from.publisher(), from.asked(), tenant, deliverers).handOn(tenant, from);
        }

        @Override
        public CompletableFuture<DistOutcome> giveToGroup(
                ClientInfo from, TopicFilter group, Message message, @Nullable DeliveryToken token, Resend resend) {
            TenantIndex tenant = index.tenant(from.tenant());
            return new FanOut(from, tenant, deliverers, resend).giveToGroup(tenant, group, message, token);
        }

        @Override
        public void setConnected(TopicFilter filter, InboxReceiver receiver, boolean isConnected) {
            index.tenant(receiver.tenant()).setConnected(filter, receiver, isConnected);
            if (peers != null) {
                peers.setConnected(new GroupMember(filter, receiver), isConnected);
            }
        }

        @Override
        public CompletableFuture<Boolean> claimExclusive(TenantId tenant, TopicFilter filter, ClientId client) {
            return CompletableFuture.completedFuture(index.tenant(tenant).claimExclusive(filter, client));
        }

        @Override
        public void releaseExclusive(TenantId tenant, TopicFilter filter, ClientId client) {
            index.tenant(tenant).releaseExclusive(filter, client);
        }

        @Override
        public CompletableFuture<Void> addRoutes(
                Map<TopicFilter, SubscriptionOptions> routes, InboxReceiver receiver, RouteNumber number) {
            stay(routes.keySet(), receiver);
            Deadline deadline = Deadline.afterMillis(config.routeTimeout().toMillis());
            return appliedByAll(withStore(store -> store.put(routes, receiver, number)), receiver, deadline);
        }

        private void stay(Collection<TopicFilter> filters, InboxReceiver receiver) {
            if (removals != null) {
                removals.adding(filters, receiver);
            }
        }

        private CompletableFuture<Void> appliedByAll(
                CompletableFuture<Void> committed, InboxReceiver receiver, Deadline deadline) {
            if (peers == null) {
                return reported(committed, receiver, deadline);
            }
            CompletableFuture<Supplier<CompletableFuture<Void>>> here = RouteStore.plain(committed.thenCompose(done -> {
                Supplier<CompletableFuture<Void>> others = peers.askOthers();
                return peers.untilAppliedHere(deadline).thenApply(applied -> others);
            }));
            return RouteStore.plain(reported(here, receiver, deadline).thenCompose(Supplier::get));
        }

        private <T> CompletableFuture<T> reported(
                CompletableFuture<T> routed, InboxReceiver receiver, Deadline deadline) {
            routed.whenComplete((done, failure) -> {
                if (failure != null && deadline.hasPassed(System.nanoTime())) {
                    waits.ranOut(
                            NodeWait.ROUTE,
                            config.routeTimeout(),
                            () -> "routes of the session of "
                                    + receiver.clientId().value() + ": " + failure.getMessage());
                }
            });
            return routed; // not the dependent stage, whose failure is wrapped
        }

        @Override
        public CompletableFuture<Void> ensureRoute(
                TopicFilter filter, InboxReceiver receiver, SubscriptionOptions options, RouteNumber number) {
            stay(List.of(filter), receiver);
            return index.tenant(receiver.tenant()).has(filter, receiver, options)
                    ? CompletableFuture.completedFuture(null)
                    : addRoutes(Map.of(filter, options), receiver, number);
        }

        @Override
        public CompletableFuture<Void> removeRoutes(
                Collection<TopicFilter> filters, InboxReceiver receiver, RouteNumber number) {
            Deadline deadline = Deadline.afterMillis(config.routeTimeout().toMillis());
            CompletableFuture<Void> removed =
                    appliedByAll(withStore(store -> store.remove(filters, receiver, number)), receiver, deadline);
            if (removals != null) {
                removed.thenRun(() -> removals.removed(filters, receiver, number));
            }
            return removed;
        }

        @Override
        public CompletableFuture<Void> removeStrayRoutes(InboxReceiver receiver, String topic) {
            return withStore(store -> store.remove(
                    index.tenant(receiver.tenant()).filtersOf(receiver, topic), receiver, RouteNumber.NONE));
        }
    }
}
