package io.godwit.plugin.context;

import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import java.util.concurrent.CompletableFuture;

/**
 * What a plugin may ask of the broker. Any thread, from inside a call of the broker too; calls return at once. Futures
 * complete within 10 seconds, on one thread of the plugin; a callback that holds it up delays other answers.
 *
 * <p>They fail with {@link BrokerUnavailableException} while the broker starts or stops, when a node that would have to
 * be asked does not answer in time, and when the plugin has {@link #MAX_UNDER_WAY} requests under way.
 */
public interface BrokerHandle {
    /** Requests of one plugin at a time. */
    int MAX_UNDER_WAY = 1_000;

    /** What became of a message. */
    enum PublishOutcome {
        /** Each receiver has it, or it is stored for it. */
        DELIVERED,
        /** Nobody is subscribed to its topic. */
        NO_SUBSCRIBERS,
        /** A store takes no more now: it is certain that it has not been stored. */
        OVERLOADED,
        /** It could not be stored, or it is not known whether it was: a part of the receivers may have it. */
        NOT_STORED
    }

    /**
     * Ends the client's connection, on whichever node it is; MQTT 5.0 is told "administrative action" (0x98). Its
     * session stays as its expiry says, and its will is published.
     *
     * @return whether there was a connection
     */
    CompletableFuture<Boolean> disconnect(TenantId tenant, ClientId client);

    /**
     * Publishes as a client would; no auth provider is asked. Fails with {@link IllegalArgumentException} for a topic
     * or a message that the limits of the broker do not allow.
     */
    CompletableFuture<PublishOutcome> publish(TenantId tenant, Message message);

    /**
     * Ends a session with its queue and subscriptions, on whichever node; its connection, if it has one, is ended. When
     * it fails it may have been done, or be done later.
     *
     * @return whether there was one
     */
    CompletableFuture<Boolean> closeSession(TenantId tenant, ClientId client);

    /**
     * The decisions of auth providers that this node remembers of a client are asked for again. Other nodes have a
     * plugin of their own. Takes effect with the next publish of the client; some other clients may be asked for again
     * too.
     */
    void forgetDecisions(TenantId tenant, ClientId client);

    /** The same for all clients of this node. */
    void forgetDecisions();
}
