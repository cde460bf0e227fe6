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

/** The dist-worker as frontends use it. Thread-safe. Futures never complete exceptionally except as said. */
public interface DistClient {
    /** Of messages that came through no listener: wills, delayed ones, those of the broker itself. */
    default Publisher publisher(ClientInfo client) {
        return publisher(client, (SharedPick) null);
    }

    /**
     * The same for one message that is published again by another node when this one may not any more.
     *
     * @param resend abandoned from then on: nobody is chosen for the message, and it is not sent where it was not yet
     */
    default Publisher publisher(ClientInfo client, Resend resend) {
        return publisher(client);
    }

    /**
     * @param asked how shared groups without a strategy of their own choose for this client's messages, which is its
     *     listener's to say; null for the node's default
     */
    Publisher publisher(ClientInfo client, @Nullable SharedPick asked);

    /**
     * The same for a client with a thread of its own.
     *
     * @param thread runs tasks, in order, on the thread that the publisher is confined to
     */
    default Publisher publisher(ClientInfo client, @Nullable SharedPick asked, Executor thread) {
        return publisher(client, asked);
    }

    /**
     * The origin of a delivery token has on record that its message is distributed. A copy that comes later, of another
     * distribution that was under way, is given to no live receiver.
     */
    void finished(String tokenOrigin, long tokenNumber);

    /**
     * Adds or replaces the subscription of a live receiver. Once complete, every publish received from then on reaches
     * it [MQTT5-3.8.4-4]. In a single node it is complete on return.
     *
     * <p>Fails with {@link io.godwit.kv.client.RangeException} of cause OVERLOADED when the nodes of a cluster could
     * not agree on that, or have no room for more filters of this node; a subscription that is new is not in force
     * then.
     *
     * @return completes with true when there was none of this filter and receiver before
     */
    CompletableFuture<Boolean> subscribe(
            TenantId tenant, TopicFilter filter, LiveReceiver receiver, SubscriptionOptions options);

    /** Removes it; completes with whether there was one. No delivery to it is begun after completion. */
    CompletableFuture<Boolean> unsubscribe(TenantId tenant, TopicFilter filter, LiveReceiver receiver);

    /**
     * A member of a shared group can not take the message that it was chosen for: it is full, or has left the group and
     * did not acknowledge it. Gives it to another. Any thread.
     *
     * @param from with one match
     * @return completes with NO_MATCH when no other member has room, else as a publish
     */
    CompletableFuture<DistOutcome> handOn(Delivery from);

    /**
     * Gives a message to one member of a shared group: a session that was chosen for it has ended without it, and its
     * route is gone. Any thread.
     *
     * @param from whose session it was
     * @param token it came under, so that nobody is chosen for it a second time; null when that may be
     * @param resend abandoned when another node may give it, see {@link #publisher(ClientInfo, Resend)}
     * @return completes with NO_MATCH when there is no member, else as a publish
     */
    CompletableFuture<DistOutcome> giveToGroup(
            ClientInfo from, TopicFilter group, Message message, @Nullable DeliveryToken token, Resend resend);

    /**
     * Tells whether the client of a persistent session that is a member of the group of {@code filter} is connected to
     * this node: such members are preferred. True after the route was added; forgotten when it is removed. Any thread.
     */
    void setConnected(TopicFilter filter, InboxReceiver receiver, boolean isConnected);

    /**
     * Asks for an exclusive filter on behalf of a client that is about to subscribe to it. Completes with false when
     * another client has it, else it is kept for the client until {@link #releaseExclusive}, and as long as a
     * subscription of it is there. Over the sessions this node knows.
     */
    CompletableFuture<Boolean> claimExclusive(TenantId tenant, TopicFilter filter, ClientId client);

    /** Ends one {@link #claimExclusive} that was granted. Any thread. */
    void releaseExclusive(TenantId tenant, TopicFilter filter, ClientId client);

    /**
     * Writes routes of a persistent session, many in one mutation; complete when all are committed and applied in this
     * node's matcher (cluster: every live node's). Repeatable. Fails with {@link io.godwit.kv.client.RangeException};
     * some may be written then. After {@code TIMEOUT} or {@code LOST} some may also be written later, even behind what
     * is called next; what is written behind a removal that has completed is removed again (docs/adr/0069).
     *
     * <p>Calls for one filter alone keep their order. A call for several may be overtaken, for some of them, by a later
     * one: the caller waits for its completion.
     *
     * @param number a route with a larger one stays as it is, and the call fails with {@code CLOSED}: another
     *     attachment has the session by now. Two calls of a session for one filter never have the same number, but
     *     {@link RouteNumber#NONE}, which is written whatever is there
     */
    CompletableFuture<Void> addRoutes(
            Map<TopicFilter, SubscriptionOptions> routes, InboxReceiver receiver, RouteNumber number);

    /** Without a number. */
    default CompletableFuture<Void> addRoute(TopicFilter filter, InboxReceiver receiver, SubscriptionOptions options) {
        return addRoutes(Map.of(filter, options), receiver, RouteNumber.NONE);
    }

    /**
     * As {@link #addRoutes}, but writes only if this node's matcher does not have the route with these options already.
     * For the connection that holds the session: while another write of the route is under way, what the matcher has
     * says nothing.
     */
    CompletableFuture<Void> ensureRoute(
            TopicFilter filter, InboxReceiver receiver, SubscriptionOptions options, RouteNumber number);

    /**
     * Removes routes; repeatable. Once complete, nothing that any node receives from then on is matched by them. Fails,
     * and keeps order, as {@link #addRoutes}.
     *
     * @param number as of {@link #addRoutes}; {@link RouteNumber#NONE} for a session that has ended
     */
    CompletableFuture<Void> removeRoutes(Collection<TopicFilter> filters, InboxReceiver receiver, RouteNumber number);

    /** Without a number. */
    default CompletableFuture<Void> removeRoute(TopicFilter filter, InboxReceiver receiver) {
        return removeRoutes(List.of(filter), receiver, RouteNumber.NONE);
    }

    /**
     * A delivery of {@code topic} to {@code receiver} was answered "no such session": removes every route of exactly
     * that incarnation whose filter matches. Repeatable. Fails with {@link io.godwit.kv.client.RangeException}.
     */
    CompletableFuture<Void> removeStrayRoutes(InboxReceiver receiver, String topic);
}
