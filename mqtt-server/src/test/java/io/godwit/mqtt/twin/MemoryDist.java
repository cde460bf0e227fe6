package io.godwit.mqtt.twin;

import io.godwit.dist.client.Delayer;
import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistClient;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.LiveReceiver;
import io.godwit.dist.client.Publisher;
import io.godwit.dist.client.RouteNumber;
import io.godwit.dist.client.SharedPick;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.dist.deliver.DistCounters;
import io.godwit.dist.deliver.FanOut;
import io.godwit.dist.deliver.ServedReceivers;
import io.godwit.dist.deliver.SharedChoices;
import io.godwit.dist.deliver.StrayRoutes;
import io.godwit.dist.index.TopicIndex;
import io.godwit.dist.index.share.SharedStrategies;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.topic.TopicFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The real matching and fan-out, with routes that are not stored. Messages handed on go to nobody. */
public final class MemoryDist implements DistClient {
    private final TopicIndex index = new TopicIndex(new SharedStrategies(SharedPick.ROUND_ROBIN));
    private final DistCounters counters = new DistCounters(new SimpleMeterRegistry());
    private final ServedReceivers served = new ServedReceivers(System::nanoTime);
    private final SharedChoices choices = new SharedChoices(System::nanoTime);
    private final List<Delivery> handedOn = new CopyOnWriteArrayList<>();
    private final AtomicReference<@Nullable CompletableFuture<DistOutcome>> nextOutcome = new AtomicReference<>();
    private final AtomicReference<@Nullable RangeException> nextRouteFailure = new AtomicReference<>();
    private final AtomicInteger removals = new AtomicInteger();
    private final List<RouteNumber> numbers = new CopyOnWriteArrayList<>();
    private final Set<TopicFilter> connected = ConcurrentHashMap.newKeySet();
    private volatile DistOutcome handOnOutcome = DistOutcome.NO_MATCH;
    private final AtomicReference<@Nullable CompletableFuture<Void>> nextRoute = new AtomicReference<>();
    private volatile Deliverer live = delivery -> Deliverer.DELIVERED;
    private volatile Deliverer inboxes = delivery -> Deliverer.DELIVERED;

    public void deliverTo(Deliverer live, Deliverer inboxes) {
        this.live = live;
        this.inboxes = inboxes;
    }

    /** The next publish gets this outcome, whenever it completes, and is delivered to nobody. */
    public void answerNext(CompletableFuture<DistOutcome> outcome) {
        nextOutcome.set(outcome);
    }

    /** The next route is added at once, but its future completes with {@code done}. */
    public void holdNextRoute(CompletableFuture<Void> done) {
        nextRoute.set(done);
    }

    /** The next change of a stored route fails with this. */
    public void failNextRoute(RangeException failure) {
        nextRouteFailure.set(failure);
    }

    /** Sets the outcome of handing on; initially no member has space. */
    public void answerHandOn(DistOutcome outcome) {
        handOnOutcome = outcome;
    }

    /** Every message handed on, in order; to nobody. */
    public List<Delivery> handedOn() {
        return handedOn;
    }

    /** How many subscriptions were to be removed, there or not. */
    public int removals() {
        return removals.get();
    }

    /** The numbers of all changes of stored routes, in the order of the calls. */
    public List<RouteNumber> numbers() {
        return List.copyOf(numbers);
    }

    /** The shared filters of stored sessions that were last told to be connected. */
    public Set<TopicFilter> connected() {
        return Set.copyOf(connected);
    }

    /** Subscriptions. */
    public long size() {
        return index.counts().subscriptions();
    }

    /** Every route of a stored session. */
    public void forEachRoute(BiConsumer<TopicFilter, InboxReceiver> action) {
        index.tenant(TenantId.DEFAULT).forEachRoute(action);
    }

    @Override
    public Publisher publisher(ClientInfo client, @Nullable SharedPick asked) {
        FanOut fanOut = new FanOut(
                client,
                asked,
                index.tenant(client.tenant()),
                new FanOut.Deliverers(
                        delivery -> live.deliver(delivery),
                        delivery -> inboxes.deliver(delivery),
                        counters,
                        EventListener.NONE,
                        new StrayRoutes(this::removeStrayRoutes),
                        choices,
                        Delayer.NONE,
                        served));
        return new Publisher() {
            @Override
            public CompletableFuture<DistOutcome> publish(Message message, @Nullable DeliveryToken token) {
                CompletableFuture<DistOutcome> prescribed = nextOutcome.getAndSet(null);
                return prescribed != null ? prescribed : fanOut.publish(message, token);
            }

            @Override
            public void end() {
                fanOut.end();
            }
        };
    }

    @Override
    public void finished(String tokenOrigin, long tokenNumber) {
        choices.finished(tokenOrigin, tokenNumber);
        served.finished(tokenOrigin, tokenNumber);
    }

    @Override
    public CompletableFuture<Boolean> subscribe(
            TenantId tenant, TopicFilter filter, LiveReceiver receiver, SubscriptionOptions options) {
        return CompletableFuture.completedFuture(index.tenant(tenant).add(filter, receiver, options));
    }

    @Override
    public CompletableFuture<Boolean> unsubscribe(TenantId tenant, TopicFilter filter, LiveReceiver receiver) {
        removals.incrementAndGet();
        return CompletableFuture.completedFuture(index.tenant(tenant).remove(filter, receiver));
    }

    @Override
    public CompletableFuture<DistOutcome> handOn(Delivery from) {
        handedOn.add(from);
        return CompletableFuture.completedFuture(handOnOutcome);
    }

    /** Sessions in memory leave nothing stored. */
    @Override
    public CompletableFuture<DistOutcome> giveToGroup(
            ClientInfo from, TopicFilter group, Message message, @Nullable DeliveryToken token, Resend resend) {
        throw new UnsupportedOperationException("no inbox store is here that would give");
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
    public void setConnected(TopicFilter filter, InboxReceiver receiver, boolean isConnected) {
        index.tenant(receiver.tenant()).setConnected(filter, receiver, isConnected);
        if (isConnected) {
            connected.add(filter);
        } else {
            connected.remove(filter);
        }
    }

    @Override
    public CompletableFuture<Void> addRoutes(
            Map<TopicFilter, SubscriptionOptions> routes, InboxReceiver receiver, RouteNumber number) {
        numbers.add(number);
        CompletableFuture<Void> written = routeWritten(() -> routes.forEach(
                (filter, options) -> index.tenant(receiver.tenant()).add(filter, receiver, options)));
        CompletableFuture<Void> held = nextRoute.getAndSet(null);
        return held == null ? written : held;
    }

    @Override
    public CompletableFuture<Void> ensureRoute(
            TopicFilter filter, InboxReceiver receiver, SubscriptionOptions options, RouteNumber number) {
        return addRoutes(Map.of(filter, options), receiver, number);
    }

    @Override
    public CompletableFuture<Void> removeRoutes(
            Collection<TopicFilter> filters, InboxReceiver receiver, RouteNumber number) {
        numbers.add(number);
        removals.addAndGet(filters.size());
        CompletableFuture<Void> written = routeWritten(
                () -> filters.forEach(filter -> index.tenant(receiver.tenant()).remove(filter, receiver)));
        CompletableFuture<Void> held = nextRoute.getAndSet(null);
        return held == null ? written : held;
    }

    private CompletableFuture<Void> routeWritten(Runnable change) {
        RangeException failure = nextRouteFailure.getAndSet(null);
        if (failure != null) {
            return CompletableFuture.failedFuture(failure);
        }
        change.run();
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> removeStrayRoutes(InboxReceiver receiver, String topic) {
        return CompletableFuture.completedFuture(null);
    }
}
