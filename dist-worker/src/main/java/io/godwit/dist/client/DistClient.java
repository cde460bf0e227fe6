package io.godwit.dist.client;

import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.topic.TopicFilter;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The interface of the dist-worker for frontends. Thread-safe. Futures never complete exceptionally unless stated. */
public interface DistClient {
    /** A publisher for messages that came through no listener: wills, delayed ones, those of the broker itself. */
    default Publisher publisher(ClientInfo client) {
        return publisher(client, (SharedPick) null);
    }

    /**
     * As {@link #publisher(ClientInfo)}, for one message that another node publishes again when this node may no
     * longer.
     *
     * @param resend abandoned from then on: no receiver is chosen any more, and the message is not sent to further
     *     receivers
     */
    default Publisher publisher(ClientInfo client, Resend resend) {
        return publisher(client);
    }

    /**
     * A publisher for the messages of one client.
     *
     * @param asked strategy of the client's listener for shared groups without their own; null for the node's default
     */
    Publisher publisher(ClientInfo client, @Nullable SharedPick asked);

    /**
     * The same for a client with a thread of its own.
     *
     * @param thread runs tasks in order on the thread that the publisher is confined to
     */
    default Publisher publisher(ClientInfo client, @Nullable SharedPick asked, Executor thread) {
        return publisher(client, asked);
    }

    /**
     * The origin of a delivery token has recorded that its message is distributed. A later copy, from another
     * distribution that was under way, is given to no live receiver.
     */
    void finished(String tokenOrigin, long tokenNumber);

    /**
     * Adds or replaces the subscription of a live receiver. Once complete, every publish received from then on reaches
     * it [MQTT5-3.8.4-4]. In a single node it is complete on return.
     *
     * <p>Fails with {@link io.godwit.kv.client.RangeException} of cause OVERLOADED when the nodes of a cluster could
     * not agree on it, or have no room for more filters of this node; a new subscription is then not in force.
     *
     * @return completes with true when the receiver had no subscription to this filter before
     */
    CompletableFuture<Boolean> subscribe(
            TenantId tenant, TopicFilter filter, LiveReceiver receiver, SubscriptionOptions options);

    /** Removes a subscription; completes with whether it existed. No delivery to it begins after completion. */
    CompletableFuture<Boolean> unsubscribe(TenantId tenant, TopicFilter filter, LiveReceiver receiver);

    /**
     * Gives a message to another member of its shared group, because the chosen one is full, or has left the group
     * without acknowledging it. Any thread.
     *
     * @param from a delivery with one match
     * @return completes with NO_MATCH when no other member has room, else as a publish
     */
    CompletableFuture<DistOutcome> handOn(Delivery from);

    /**
     * Gives a message to a member of a shared group, because the session chosen before has ended without it, and its
     * route is gone. Any thread.
     *
     * @param from client of the ended session
     * @param token of the message, so that no second member is chosen for it; null when that is allowed
     * @param resend abandoned when another node may give it, see {@link #publisher(ClientInfo, Resend)}
     * @return completes with NO_MATCH when there is no member, else as a publish
     */
    CompletableFuture<DistOutcome> giveToGroup(
            ClientInfo from, TopicFilter group, Message message, @Nullable DeliveryToken token, Resend resend);

    /**
     * Sets whether the client of a persistent member of the group of {@code filter} is connected to this node:
     * connected members are preferred, by the other nodes some 200 ms later. Set it to true after the route was added,
     * and to false when the client has gone or the route was removed: other nodes do not forget it with the route. Any
     * thread.
     */
    void setConnected(TopicFilter filter, InboxReceiver receiver, boolean isConnected);

    /**
     * Asks for an exclusive filter for a client that is about to subscribe to it. Completes with false when another
     * client has it; else the client keeps it until {@link #releaseExclusive}, and as long as it has a subscription to
     * it. Considers the sessions that this node knows: its own, and stored ones of all nodes.
     */
    CompletableFuture<Boolean> claimExclusive(TenantId tenant, TopicFilter filter, ClientId client);

    /** Ends one granted {@link #claimExclusive}. Any thread. */
    void releaseExclusive(TenantId tenant, TopicFilter filter, ClientId client);

    /**
     * Writes routes of a persistent session, many in one mutation. Complete when all are committed and applied in this
     * node's matcher (cluster: every live node's). Idempotent. Fails with {@link io.godwit.kv.client.RangeException};
     * some may then be written. After {@code TIMEOUT} or {@code LOST} some may also be written later, even after later
     * calls; a route written after its completed removal is removed again (docs/adr/0069).
     *
     * <p>Calls for a single filter keep their order. A later call may overtake a call for several filters, for some of
     * them: the caller must wait for its completion.
     *
     * @param number if the stored route has a larger one it stays, and the call fails with {@code CLOSED}: another
     *     attachment has the session now. Two calls of a session for one filter must not have the same number, except
     *     {@link RouteNumber#NONE}, which overwrites any route
     */
    CompletableFuture<Void> addRoutes(
            Map<TopicFilter, SubscriptionOptions> routes, InboxReceiver receiver, RouteNumber number);

    /** With {@link RouteNumber#NONE}. */
    default CompletableFuture<Void> addRoute(TopicFilter filter, InboxReceiver receiver, SubscriptionOptions options) {
        return addRoutes(Map.of(filter, options), receiver, RouteNumber.NONE);
    }

    /**
     * As {@link #addRoutes}, but writes only if this node's matcher does not already have the route with these options.
     * Only for the connection that holds the session, and only while no other write of the route is under way, because
     * the matcher may then be outdated.
     */
    CompletableFuture<Void> ensureRoute(
            TopicFilter filter, InboxReceiver receiver, SubscriptionOptions options, RouteNumber number);

    /**
     * Removes routes; idempotent. Once complete, no publish received at any node from then on matches them. Fails, and
     * keeps order, as {@link #addRoutes}.
     *
     * @param number as for {@link #addRoutes}; {@link RouteNumber#NONE} for a session that has ended
     */
    CompletableFuture<Void> removeRoutes(Collection<TopicFilter> filters, InboxReceiver receiver, RouteNumber number);

    /** With {@link RouteNumber#NONE}. */
    default CompletableFuture<Void> removeRoute(TopicFilter filter, InboxReceiver receiver) {
        return removeRoutes(List.of(filter), receiver, RouteNumber.NONE);
    }

    /**
     * A delivery of {@code topic} to {@code receiver} was answered "no such session": removes every route of exactly
     * that incarnation whose filter matches. Idempotent. Fails with {@link io.godwit.kv.client.RangeException}.
     */
    CompletableFuture<Void> removeStrayRoutes(InboxReceiver receiver, String topic);
}
