package io.godwit.mqtt.twin;

import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistClient;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.LiveReceiver;
import io.godwit.dist.client.Match;
import io.godwit.dist.client.Publisher;
import io.godwit.dist.client.Receiver;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Routes by a linear scan under one lock. */
public final class MemoryDist implements DistClient {
    private record Key(TopicFilter filter, Receiver receiver) {}

    private final Map<Key, SubscriptionOptions> subscriptions = new LinkedHashMap<>();
    private final List<Delivery> handedOn = new CopyOnWriteArrayList<>();
    private volatile DistOutcome handOnOutcome = DistOutcome.NO_MATCH;
    private @Nullable Deliverer live;
    private @Nullable Deliverer inboxes;
    private @Nullable CompletableFuture<DistOutcome> nextOutcome;

    public void deliverTo(Deliverer live, Deliverer inboxes) {
        this.live = live;
        this.inboxes = inboxes;
    }

    /** The next publish answers this, whenever it completes, and is delivered to nobody. */
    public synchronized void answerNext(CompletableFuture<DistOutcome> outcome) {
        nextOutcome = outcome;
    }

    public synchronized int size() {
        return subscriptions.size();
    }

    @Override
    public Publisher publisher(ClientInfo client) {
        return (message, token) -> publish(client, message, token);
    }

    private CompletableFuture<DistOutcome> publish(ClientInfo client, Message message, @Nullable DeliveryToken token) {
        List<Match> lives = new ArrayList<>();
        List<Match> stored = new ArrayList<>();
        synchronized (this) {
            CompletableFuture<DistOutcome> prescribed = nextOutcome;
            if (prescribed != null) {
                nextOutcome = null;
                return prescribed;
            }
            Map<Receiver, Match> merged = new LinkedHashMap<>();
            subscriptions.forEach((key, options) -> {
                boolean isOwn = options.noLocal() && key.receiver().clientId().equals(client.clientId());
                if (key.filter().matches(message.topic()) && !isOwn) {
                    merged.merge(key.receiver(), matchOf(key.receiver(), options), MemoryDist::merge);
                }
            });
            merged.values().forEach(m -> (m.receiver() instanceof LiveReceiver ? lives : stored).add(m));
        }
        if (lives.isEmpty() && stored.isEmpty()) {
            return CompletableFuture.completedFuture(DistOutcome.NO_MATCH);
        }
        CompletableFuture<DistOutcome> toLive = lives.isEmpty() || live == null
                ? Deliverer.DELIVERED
                : live.deliver(new Delivery(client, message, lives, token));
        CompletableFuture<DistOutcome> toStored = stored.isEmpty() || inboxes == null
                ? Deliverer.DELIVERED
                : inboxes.deliver(new Delivery(client, message, stored, token));
        if (toLive.isDone() && toStored.isDone()) {
            return toStored;
        }
        return toLive.thenCombine(toStored, (a, b) -> b);
    }

    private static Match matchOf(Receiver receiver, SubscriptionOptions options) {
        int[] ids = options.subscriptionId() == 0 ? Match.NO_IDS : new int[] {options.subscriptionId()};
        return new Match(receiver, options.qos(), options.retainAsPublished(), ids);
    }

    private static Match merge(Match a, Match b) {
        int[] ids = IntStream.concat(Arrays.stream(a.subscriptionIds()), Arrays.stream(b.subscriptionIds()))
                .toArray();
        Qos qos = a.qos().compareTo(b.qos()) >= 0 ? a.qos() : b.qos();
        return new Match(a.receiver(), qos, a.retainAsPublished() || b.retainAsPublished(), ids);
    }

    @Override
    public synchronized CompletableFuture<Boolean> subscribe(
            TenantId tenant, TopicFilter filter, LiveReceiver receiver, SubscriptionOptions options) {
        return CompletableFuture.completedFuture(subscriptions.put(new Key(filter, receiver), options) == null);
    }

    @Override
    public synchronized CompletableFuture<Boolean> unsubscribe(
            TenantId tenant, TopicFilter filter, LiveReceiver receiver) {
        return CompletableFuture.completedFuture(subscriptions.remove(new Key(filter, receiver)) != null);
    }

    @Override
    public CompletableFuture<DistOutcome> handOn(Delivery from) {
        handedOn.add(from);
        return CompletableFuture.completedFuture(handOnOutcome);
    }

    /** Every message handed on, in order; to nobody. */
    public List<Delivery> handedOn() {
        return handedOn;
    }

    /** What handing on answers; at first that nobody has room. */
    public void answerHandOn(DistOutcome outcome) {
        handOnOutcome = outcome;
    }

    @Override
    public synchronized CompletableFuture<Boolean> claimExclusive(
            TenantId tenant, TopicFilter filter, ClientId client) {
        return CompletableFuture.completedFuture(subscriptions.keySet().stream()
                .noneMatch(key -> key.filter().equals(filter)
                        && !key.receiver().clientId().equals(client)));
    }

    @Override
    public void releaseExclusive(TenantId tenant, TopicFilter filter, ClientId client) {
        // nobody asks at the same time
    }

    @Override
    public void setConnected(TopicFilter filter, InboxReceiver receiver, boolean isConnected) {
        // all members are the same here
    }

    @Override
    public synchronized CompletableFuture<Void> addRoute(
            TopicFilter filter, InboxReceiver receiver, SubscriptionOptions options) {
        subscriptions.put(new Key(filter, receiver), options);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public synchronized CompletableFuture<Void> removeRoute(TopicFilter filter, InboxReceiver receiver) {
        subscriptions.remove(new Key(filter, receiver));
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> removeStrayRoutes(InboxReceiver receiver, String topic) {
        return CompletableFuture.completedFuture(null);
    }
}
