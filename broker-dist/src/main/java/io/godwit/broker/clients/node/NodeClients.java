package io.godwit.broker.clients.node;

import io.godwit.mqtt.ban.AutomaticBanQuery;
import io.godwit.mqtt.client.ClientCriteria;
import io.godwit.mqtt.client.ClientKey;
import io.godwit.mqtt.client.ClientPage;
import io.godwit.mqtt.client.ConnectedClient;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The connected clients and live subscribers of one node, this or another. Any thread; calls return at once. Futures
 * complete on any thread, which must not be blocked, and fail at the latest when {@code within} is over.
 */
public interface NodeClients {
    /**
     * A page of the clients found in three quarters of the time.
     *
     * @param after null to begin at the first
     * @param limit 1 to {@link io.godwit.mqtt.client.ClientQuery#MAX_LIMIT}
     */
    CompletableFuture<ClientPage<ConnectedClient>> page(
            ClientCriteria criteria, @Nullable ClientKey after, int limit, Duration within);

    CompletableFuture<Optional<ConnectedClient>> find(ClientKey key, Duration within);

    /** Completes with whether the client was connected to that node. */
    CompletableFuture<Boolean> disconnect(ClientKey key, ReasonCode code, Duration within);

    /**
     * A page of the subscriptions of one client; empty if it is not connected to that node or its session is stored.
     *
     * @param after the text of the last filter of the page before; null for the first page
     * @param limit as in {@link #page}
     */
    CompletableFuture<Optional<NodeSubscriptions>> subscriptions(
            ClientKey key, @Nullable String after, int limit, Duration within);

    /** @param limit of each list, as in {@link #page} */
    CompletableFuture<NodeReceivers> receivers(TopicQuestion question, int limit, Duration within);

    /**
     * Subscribes a client of that node on its behalf.
     *
     * @return the codes of SUBACK; empty if the client is not connected to that node
     */
    CompletableFuture<Optional<List<ReasonCode>>> subscribe(
            ClientKey key, List<Subscription> subscriptions, int subscriptionId, Duration within);

    /** As above, with UNSUBSCRIBE. */
    CompletableFuture<Optional<List<ReasonCode>>> unsubscribe(
            ClientKey key, List<TopicFilter> filters, Duration within);

    /** A page of the bans that the node has made automatically. */
    CompletableFuture<NodeBans> automaticBans(AutomaticBanQuery query, Duration within);

    /**
     * Lifts such a ban on that node.
     *
     * @param tenant the required tenant; null for any
     * @return whether the ban was in force
     */
    CompletableFuture<Boolean> liftBan(String id, @Nullable TenantId tenant, Duration within);
}
