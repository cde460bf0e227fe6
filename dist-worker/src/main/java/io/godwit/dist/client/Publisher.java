package io.godwit.dist.client;

import io.godwit.plugin.message.Message;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The publishing side of one connection. Confined to one thread (it remembers the last topic's matches); cheap to keep.
 */
public interface Publisher {
    /**
     * Matches {@code message} against all subscriptions that this node knows now, and hands it to their deliverers.
     * Completes, never exceptionally, when all have answered, with the worst outcome. For QoS 0 to live receivers the
     * returned future is already complete.
     */
    CompletableFuture<DistOutcome> publish(Message message, @Nullable DeliveryToken token);

    /**
     * The connection has ended. Its QoS 1 and 2 messages that no session has taken yet are not sent to other homes any
     * more: its client has no acknowledgement, and another node may already have later messages of it, or may have
     * finished these. Later QoS 0 publishes are delivered as before.
     */
    default void end() {}
}
