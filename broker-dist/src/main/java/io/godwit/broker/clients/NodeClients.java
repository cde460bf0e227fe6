package io.godwit.broker.clients;

import io.godwit.mqtt.ban.AutomaticBanQuery;
import io.godwit.mqtt.client.ClientCriteria;
import io.godwit.mqtt.client.ClientKey;
import io.godwit.mqtt.client.ClientPage;
import io.godwit.mqtt.client.ConnectedClient;
import io.godwit.mqtt.packet.ReasonCode;
import io.godwit.mqtt.packet.Subscription;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The connected clients and live subscribers of one node, this or another. Any thread; calls return at once. Futures
 * complete on any thread, which must not be held up, or fail, once {@code within} is over at the latest.
 */
interface NodeClients {
    /**
     * A page of the list, of those that were found in three quarters of the time.
     *
     * @param after null from the beginning
     * @param limit 1 to {@link io.godwit.mqtt.client.ClientQuery#MAX_LIMIT}
     */
    CompletableFuture<ClientPage<ConnectedClient>> page(
            ClientCriteria criteria, @Nullable ClientKey after, int limit, Duration within);

    CompletableFuture<Optional<ConnectedClient>> find(ClientKey key, Duration within);

    /** Completes with whether it was connected there. */
    CompletableFuture<Boolean> disconnect(ClientKey key, ReasonCode code, Duration within);

    /**
     * A page of the subscriptions of one client; empty when it is not connected there, or its session is stored.
     *
     * @param after only those behind this text of a filter; null from the first
     * @param limit as of a page
     */
    CompletableFuture<Optional<NodeSubscriptions>> subscriptions(
            ClientKey key, @Nullable String after, int limit, Duration within);

    /** @param limit of each list, as of a page */
    CompletableFuture<NodeReceivers> receivers(TopicQuestion question, int limit, Duration within);

    /**
     * Subscribes a client that is connected there, in its stead.
     *
     * @return the codes of SUBACK; empty when it is not connected there
     */
    CompletableFuture<Optional<List<ReasonCode>>> subscribe(
            ClientKey key, List<Subscription> subscriptions, int subscriptionId, Duration within);

    /** The same with UNSUBSCRIBE. */
    CompletableFuture<Optional<List<ReasonCode>>> unsubscribe(
            ClientKey key, List<TopicFilter> filters, Duration within);

    /** A page of the bans that the node has made by itself. */
    CompletableFuture<NodeBans> automaticBans(AutomaticBanQuery query, Duration within);

    /**
     * Ends one of them there.
     *
     * @param tenant that it must be of; null for any
     * @return whether it was in force
     */
    CompletableFuture<Boolean> liftBan(String id, @Nullable TenantId tenant, Duration within);
}
