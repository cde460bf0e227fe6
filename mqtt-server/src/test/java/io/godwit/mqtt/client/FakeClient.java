package io.godwit.mqtt.client;

import io.godwit.dist.client.LiveReceiver;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A connection in a list, of the tenant {@code default}; counts how often it is looked at. */
final class FakeClient implements ListedClient, LiveReceiver {
    private final ClientInfo info;
    private final long connectedAtMillis;
    int queued;
    /** Null for a stored session. */
    @Nullable
    List<TopicFilter> filters;

    int looks;
    final List<ReasonCode> ends = new ArrayList<>();
    final List<Subscription> subscribed = new ArrayList<>();

    FakeClient(String clientId) {
        this(clientId, 0);
    }

    FakeClient(String clientId, long connectedAtMillis) {
        this(new ClientInfo(TenantId.DEFAULT, new ClientId(clientId), null, "10.0.0.1:4711", 5), connectedAtMillis);
    }

    FakeClient(ClientInfo info, long connectedAtMillis) {
        this.info = info;
        this.connectedAtMillis = connectedAtMillis;
    }

    static ClientKey key(String clientId) {
        return new ClientKey(TenantId.DEFAULT, new ClientId(clientId));
    }

    @Override
    public ClientInfo client() {
        return info;
    }

    @Override
    public ClientId clientId() {
        return info.clientId();
    }

    @Override
    public ConnectedClient describe() {
        looks++;
        return new ConnectedClient(info, "tcp 0.0.0.0:1883", true, 0, 60, connectedAtMillis, 0, 0, queued, 0);
    }

    @Override
    public @Nullable LiveSubscriptions subscriptions() {
        return filters == null ? null : new LiveSubscriptions(this, filters);
    }

    @Override
    public void end(ReasonCode code) {
        ends.add(code);
    }

    @Override
    public CompletableFuture<List<ReasonCode>> subscribeOnBehalf(List<Subscription> subscriptions, int subscriptionId) {
        subscribed.addAll(subscriptions);
        return CompletableFuture.completedFuture(List.of(ReasonCode.GRANTED_QOS_1));
    }

    @Override
    public CompletableFuture<List<ReasonCode>> unsubscribeOnBehalf(List<TopicFilter> filters) {
        return CompletableFuture.failedFuture(new CancellationException("gone"));
    }
}
