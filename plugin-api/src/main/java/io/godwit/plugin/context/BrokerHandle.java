package io.godwit.plugin.context;

import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import java.util.concurrent.CompletableFuture;

/**
 * What a plugin may ask of the broker. Callable from any thread, also from inside a call of the broker; calls return at
 * once. Futures complete within 10 seconds, on one thread of the plugin; a callback that blocks it delays other
 * answers.
 *
 * <p>They fail with {@link BrokerUnavailableException} while the broker starts or stops, when another node does not
 * answer in time, and when the plugin has {@link #MAX_UNDER_WAY} requests under way.
 */
public interface BrokerHandle {
    /** Most requests of one plugin at a time. */
    int MAX_UNDER_WAY = 1_000;

    /** The outcome of a publish. */
    enum PublishOutcome {
        /** Each receiver has the message, or it is stored for that receiver. */
        DELIVERED,
        /** Nobody is subscribed to its topic. */
        NO_SUBSCRIBERS,
        /** A store accepts no more now. The message is certainly not stored. */
        OVERLOADED,
        /** Storing failed, or its result is unknown: some of the receivers may have the message. */
        NOT_STORED
    }

    /**
     * Ends the client's connection, on any node; an MQTT 5.0 client gets "administrative action" (0x98). The session
     * stays for its expiry interval, and the will is published.
     *
     * @return whether there was a connection
     */
    CompletableFuture<Boolean> disconnect(TenantId tenant, ClientId client);

    /**
     * Publishes as a client would, but without a check by an auth provider, and without the settings of the tenant.
     * Fails with {@link IllegalArgumentException} for a topic or a message that exceeds the limits of the node.
     */
    CompletableFuture<PublishOutcome> publish(TenantId tenant, Message message);

    /**
     * Ends a session with its queue and subscriptions, on any node; also ends its connection, if it has one. If the
     * future fails, the session may have ended nevertheless, or may end later.
     *
     * @return whether there was a session
     */
    CompletableFuture<Boolean> closeSession(TenantId tenant, ClientId client);

    /**
     * Makes this node forget the auth decisions it remembers for a client, so that it asks the auth providers again. On
     * other nodes, the plugin instance there must do the same. Takes effect with the next publish of the client; the
     * decisions for some other clients may be asked for again too.
     */
    void forgetDecisions(TenantId tenant, ClientId client);

    /** The same for all clients of this node. */
    void forgetDecisions();
}
