package io.godwit.broker.clients.node;

import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.mqtt.ban.AutomaticBan;
import io.godwit.mqtt.ban.AutomaticBanQuery;
import io.godwit.mqtt.client.ClientCriteria;
import io.godwit.mqtt.client.ClientKey;
import io.godwit.mqtt.client.ClientPage;
import io.godwit.mqtt.client.ConnectedClient;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BanCause;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Clients of a node that are in memory. May stop answering. */
public final class MemoryClients implements NodeClients {
    public final NavigableMap<ClientKey, ConnectedClient> connected = new ConcurrentSkipListMap<>();
    public final Map<ClientKey, ReasonCode> ended = new ConcurrentHashMap<>();
    /** The filters of sessions that are not stored. */
    public final Map<ClientKey, List<TopicFilter>> filters = new ConcurrentHashMap<>();

    final List<Subscription> subscribed = new CopyOnWriteArrayList<>();

    static final SubscriptionOptions OPTIONS = new SubscriptionOptions(Qos.AT_LEAST_ONCE, true, false, 7);

    public volatile boolean isSilent;
    /** The key at which its search ends, unless it has found enough before. */
    public volatile @Nullable ClientKey looksUpTo;

    public static ClientKey key(String clientId) {
        return new ClientKey(TenantId.DEFAULT, new ClientId(clientId));
    }

    public static ConnectedClient client(String clientId, long connectedAtMillis) {
        ClientInfo info = new ClientInfo(TenantId.DEFAULT, new ClientId(clientId), "ann", "10.1.2.3:4711", 5);
        return new ConnectedClient(info, "tcp 0.0.0.0:1883", true, 0xFFFF_FFFFL, 60, connectedAtMillis, 1, 2, 3, 4);
    }

    public MemoryClients add(String... clientIds) {
        for (String id : clientIds) {
            connected.put(key(id), client(id, 1_000));
        }
        return this;
    }

    /** The automatic bans of this node, by id. */
    public final NavigableMap<String, AutomaticBan> bans = new ConcurrentSkipListMap<>();

    @Override
    public CompletableFuture<NodeBans> automaticBans(AutomaticBanQuery query, Duration within) {
        TenantId tenant = query.tenant();
        List<AutomaticBan> found = bans.tailMap(query.from(), true).values().stream()
                .filter(ban -> ban.cause() == BanCause.CLIENT_FLAPPING ? query.withClients() : query.withSources())
                .filter(ban -> tenant == null || ban.tenant().equals(tenant.value()))
                .limit(query.limit())
                .toList();
        return answered(NodeBans.page(found, query.limit()));
    }

    @Override
    public CompletableFuture<Boolean> liftBan(String id, @Nullable TenantId tenant, Duration within) {
        return answered(bans.values()
                .removeIf(ban ->
                        ban.id().equals(id) && (tenant == null || ban.tenant().equals(tenant.value()))));
    }

    private <T> CompletableFuture<T> answered(T answer) {
        return isSilent ? new CompletableFuture<>() : CompletableFuture.completedFuture(answer);
    }

    @Override
    public CompletableFuture<ClientPage<ConnectedClient>> page(
            ClientCriteria criteria, @Nullable ClientKey after, int limit, Duration within) {
        List<ConnectedClient> found = new ArrayList<>();
        ClientKey end = looksUpTo;
        for (ConnectedClient client : (after == null ? connected : connected.tailMap(after, false)).values()) {
            if (end != null && client.key().compareTo(end) > 0) {
                return answered(new ClientPage<>(found, end));
            }
            if (criteria.matches(client)) {
                found.add(client);
            }
            if (found.size() == limit) {
                return answered(new ClientPage<>(found, client.key()));
            }
        }
        return answered(new ClientPage<>(found, null));
    }

    @Override
    public CompletableFuture<Optional<ConnectedClient>> find(ClientKey key, Duration within) {
        return answered(Optional.ofNullable(connected.get(key)));
    }

    @Override
    public CompletableFuture<Boolean> disconnect(ClientKey key, ReasonCode code, Duration within) {
        if (connected.remove(key) == null) {
            return answered(false);
        }
        ended.put(key, code);
        return answered(true);
    }

    @Override
    public CompletableFuture<Optional<NodeSubscriptions>> subscriptions(
            ClientKey key, @Nullable String after, int limit, Duration within) {
        List<TopicFilter> all = filters.get(key);
        return answered(Optional.ofNullable(all)
                .map(present -> NodeSubscriptions.page(
                        present, after, limit, filter -> filter.filter().equals("gone") ? null : OPTIONS)));
    }

    @Override
    public CompletableFuture<NodeReceivers> receivers(TopicQuestion question, int limit, Duration within) {
        List<NodeReceivers.Entry> live = connected.keySet().stream()
                .limit(limit)
                .map(key -> new NodeReceivers.Entry(
                        key.clientId().value(),
                        1,
                        (question.filter() == null ? "$share/g/" : "$share/filter/") + question.text()))
                .toList();
        return answered(new NodeReceivers(live, connected.size(), List.of(new NodeReceivers.Entry("kept", 2, "")), 1));
    }

    @Override
    public CompletableFuture<Optional<List<ReasonCode>>> subscribe(
            ClientKey key, List<Subscription> subscriptions, int subscriptionId, Duration within) {
        if (!connected.containsKey(key)) {
            return answered(Optional.empty());
        }
        subscribed.addAll(subscriptions);
        return answered(Optional.of(
                subscriptions.stream().map(each -> ReasonCode.GRANTED_QOS_1).toList()));
    }

    @Override
    public CompletableFuture<Optional<List<ReasonCode>>> unsubscribe(
            ClientKey key, List<TopicFilter> gone, Duration within) {
        return answered(
                connected.containsKey(key)
                        ? Optional.of(
                                gone.stream().map(each -> ReasonCode.SUCCESS).toList())
                        : Optional.empty());
    }
}
