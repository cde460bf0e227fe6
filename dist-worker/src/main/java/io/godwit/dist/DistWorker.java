package io.godwit.dist;

import io.godwit.dist.client.Delayer;
import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistClient;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.LiveReceiver;
import io.godwit.dist.client.Publisher;
import io.godwit.dist.client.SharedPick;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.dist.deliver.DistCounters;
import io.godwit.dist.deliver.FanOut;
import io.godwit.dist.deliver.ServedReceivers;
import io.godwit.dist.deliver.SharedChoices;
import io.godwit.dist.deliver.StrayRoutes;
import io.godwit.dist.route.RouteCoprocessor;
import io.godwit.dist.route.TenantIndex;
import io.godwit.dist.route.TopicIndex;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.topic.TopicFilter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Matches every publish of this node against all subscriptions and hands it on: live receivers from memory, persistent
 * sessions by the routes of the dist store, of which every node holds a replica.
 *
 * <p>Life cycle: {@link #coprocessorFactory} goes into the dist store, whose ranges rebuild the index when they open;
 * then {@link #start} takes the store's client. {@link #client} may be handed out before: publishing and live
 * subscriptions need no store; routes fail with {@code CLOSED} until the start and after the close.
 */
public final class DistWorker implements AutoCloseable {
    private final DistConfig config;
    private final Supplier<RangeClient> ranges;
    private final TopicIndex index;
    private final FanOut.Deliverers deliverers;
    private final Client client = new Client();
    private volatile @Nullable RouteStore routes;

    /**
     * @param ranges the client of the dist store, asked for once by {@link #start}
     * @param live takes the deliveries to live receivers
     * @param inbox takes the deliveries to persistent sessions
     * @param delayer takes what is to be published later
     */
    public DistWorker(
            DistConfig config,
            Supplier<RangeClient> ranges,
            Deliverer live,
            Deliverer inbox,
            Delayer delayer,
            EventListener events,
            MeterRegistry meters) {
        this.config = config;
        this.ranges = ranges;
        this.index = new TopicIndex(config.strategies());
        this.deliverers = new FanOut.Deliverers(
                live,
                inbox,
                new DistCounters(meters),
                events,
                new StrayRoutes(client::removeStrayRoutes),
                new SharedChoices(),
                delayer,
                new ServedReceivers());
        Gauge.builder("godwit.dist.subscriptions", index, TopicIndex::subscriptions)
                .description("subscriptions that publishes are matched against")
                .register(meters);
    }

    /** Makes the state machine of each range of the dist store. */
    public Supplier<RangeCoprocessor> coprocessorFactory() {
        return () -> new RouteCoprocessor(index);
    }

    public void start() {
        routes = new RouteStore(ranges.get(), config.routeTimeout());
    }

    /** Refuses routes from here on. Does not close the store. */
    @Override
    public void close() {
        routes = null;
    }

    public DistClient client() {
        return client;
    }

    /**
     * The stored routes of {@code tenant}, a page at a time, for operators. Begins with {@code cursor} null; a page may
     * be short, even empty, with more to follow. Fails with {@link RangeException}.
     *
     * @param maxRoutes the most routes of the page, at least 1
     */
    public CompletableFuture<RoutePage> listRoutes(TenantId tenant, @Nullable String cursor, int maxRoutes) {
        return withStore(store -> store.list(tenant, cursor, maxRoutes));
    }

    private <T> CompletableFuture<T> withStore(Function<RouteStore, CompletableFuture<T>> action) {
        RouteStore store = routes;
        return store != null
                ? action.apply(store)
                : CompletableFuture.failedFuture(
                        new RangeException(RangeException.Cause.CLOSED, "the dist-worker is not started"));
    }

    private final class Client implements DistClient {
        @Override
        public Publisher publisher(ClientInfo info, @Nullable SharedPick asked) {
            return new FanOut(info, asked, index.tenant(info.tenant()), deliverers);
        }

        @Override
        public void finished(String tokenOrigin, long tokenNumber) {
            deliverers.choices().finished(tokenOrigin, tokenNumber);
            deliverers.served().finished(tokenOrigin, tokenNumber);
        }

        @Override
        public CompletableFuture<Boolean> subscribe(
                TenantId tenant, TopicFilter filter, LiveReceiver receiver, SubscriptionOptions options) {
            return CompletableFuture.completedFuture(index.tenant(tenant).add(filter, receiver, options));
        }

        @Override
        public CompletableFuture<Boolean> unsubscribe(TenantId tenant, TopicFilter filter, LiveReceiver receiver) {
            return CompletableFuture.completedFuture(index.tenant(tenant).remove(filter, receiver));
        }

        @Override
        public CompletableFuture<DistOutcome> handOn(Delivery from) {
            TenantIndex tenant = index.tenant(from.publisher().tenant());
            return new FanOut(from.publisher(), tenant, deliverers).handOn(tenant, from);
        }

        @Override
        public CompletableFuture<DistOutcome> giveToGroup(
                ClientInfo from, TopicFilter group, Message message, @Nullable DeliveryToken token) {
            TenantIndex tenant = index.tenant(from.tenant());
            return new FanOut(from, tenant, deliverers).giveToGroup(tenant, group, message, token);
        }

        @Override
        public void setConnected(TopicFilter filter, InboxReceiver receiver, boolean isConnected) {
            index.tenant(receiver.tenant()).setConnected(filter, receiver, isConnected);
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
        public CompletableFuture<Void> addRoutes(Map<TopicFilter, SubscriptionOptions> routes, InboxReceiver receiver) {
            return withStore(store -> store.put(routes, receiver));
        }

        @Override
        public CompletableFuture<Void> ensureRoute(
                TopicFilter filter, InboxReceiver receiver, SubscriptionOptions options) {
            return index.tenant(receiver.tenant()).has(filter, receiver, options)
                    ? CompletableFuture.completedFuture(null)
                    : addRoute(filter, receiver, options);
        }

        @Override
        public CompletableFuture<Void> removeRoutes(Collection<TopicFilter> filters, InboxReceiver receiver) {
            return withStore(store -> store.remove(filters, receiver));
        }

        @Override
        public CompletableFuture<Void> removeStrayRoutes(InboxReceiver receiver, String topic) {
            return withStore(
                    store -> store.remove(index.tenant(receiver.tenant()).filtersOf(receiver, topic), receiver));
        }
    }
}
