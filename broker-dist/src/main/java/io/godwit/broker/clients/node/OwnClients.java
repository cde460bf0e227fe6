package io.godwit.broker.clients.node;

import io.godwit.dist.client.TopicReceivers;
import io.godwit.mqtt.ban.AutomaticBanQuery;
import io.godwit.mqtt.client.ClientCriteria;
import io.godwit.mqtt.client.ClientKey;
import io.godwit.mqtt.client.ClientPage;
import io.godwit.mqtt.client.ClientQuery;
import io.godwit.mqtt.client.ConnectedClient;
import io.godwit.mqtt.client.ConnectedClients;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.mqtt.transport.limit.Bans;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The clients of this node. */
public final class OwnClients implements NodeClients {
    private final ConnectedClients clients;
    private final Bans bans;
    private final TopicLookup topics;
    private final Executor merging;

    /** @param merging merges pages and looks topics up */
    public OwnClients(ConnectedClients clients, Bans bans, TopicLookup topics, Executor merging) {
        this.clients = clients;
        this.bans = bans;
        this.topics = topics;
        this.merging = merging;
    }

    @Override
    public CompletableFuture<ClientPage<ConnectedClient>> page(
            ClientCriteria criteria, @Nullable ClientKey after, int limit, Duration within) {
        long untilNanos = System.nanoTime() + within.toNanos() / 4 * 3;
        return inTime(clients.page(new ClientQuery(criteria, after, limit, untilNanos), merging), within);
    }

    @Override
    public CompletableFuture<Optional<ConnectedClient>> find(ClientKey key, Duration within) {
        return inTime(clients.find(key), within);
    }

    @Override
    public CompletableFuture<Boolean> disconnect(ClientKey key, ReasonCode code, Duration within) {
        return inTime(clients.disconnect(key, code), within);
    }

    @Override
    public CompletableFuture<NodeReceivers> receivers(TopicQuestion question, int limit, Duration within) {
        return inTime(
                CompletableFuture.completedFuture(question)
                        .thenApplyAsync(asked -> NodeReceivers.of(lookUp(asked, limit)), merging),
                within);
    }

    @Override
    public CompletableFuture<Optional<NodeSubscriptions>> subscriptions(
            ClientKey key, @Nullable String after, int limit, Duration within) {
        return inTime(
                clients.subscriptions(key)
                        .thenApplyAsync(
                                found -> found.map(live -> NodeSubscriptions.page(
                                        live.filters(),
                                        after,
                                        limit,
                                        filter -> topics.options(key.tenant(), filter, live.receiver()))),
                                merging),
                within);
    }

    @Override
    public CompletableFuture<Optional<List<ReasonCode>>> subscribe(
            ClientKey key, List<Subscription> subscriptions, int subscriptionId, Duration within) {
        return inTime(
                clients.ask(key, client -> client.subscribeOnBehalf(subscriptions, subscriptionId))
                        .copy(),
                within);
    }

    @Override
    public CompletableFuture<Optional<List<ReasonCode>>> unsubscribe(
            ClientKey key, List<TopicFilter> filters, Duration within) {
        return inTime(
                clients.ask(key, client -> client.unsubscribeOnBehalf(filters)).copy(), within);
    }

    @Override
    public CompletableFuture<NodeBans> automaticBans(AutomaticBanQuery query, Duration within) {
        return inTime(
                CompletableFuture.completedFuture(query)
                        .thenApplyAsync(asked -> NodeBans.page(bans.automatic(asked), asked.limit()), merging),
                within);
    }

    @Override
    public CompletableFuture<Boolean> liftBan(String id, @Nullable TenantId tenant, Duration within) {
        return CompletableFuture.completedFuture(bans.lift(id, tenant));
    }

    private TopicReceivers lookUp(TopicQuestion asked, int limit) {
        TopicFilter filter = asked.filter();
        return filter == null
                ? topics.receivers(asked.tenant(), asked.text(), limit)
                : topics.subscribers(asked.tenant(), filter, limit);
    }

    private static <T> CompletableFuture<T> inTime(CompletableFuture<T> asked, Duration within) {
        return asked.orTimeout(within.toNanos(), TimeUnit.NANOSECONDS);
    }
}
