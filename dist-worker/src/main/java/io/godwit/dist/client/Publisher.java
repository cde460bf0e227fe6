package io.godwit.dist.client;

import io.godwit.plugin.message.Message;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The publishing side of one connection. Confined to one thread (it remembers the last topic's matches); costs nothing
 * to keep.
 */
public interface Publisher {
    /**
     * Matches {@code message} against all subscriptions this node knows now and hands it to their deliverers.
     * Completes, never exceptionally, when every one has answered; the worst answer wins. For QoS 0 to live receivers
     * the future returned is already complete.
     */
    CompletableFuture<DistOutcome> publish(Message message, @Nullable DeliveryToken token);

    /**
     * The connection has ended. What it published at QoS 1 and 2 and no session has taken yet is not sent to other
     * homes any more. Its client has no acknowledgement, and another node may have later messages of it by then, or may
     * have finished these. What is published from here on at QoS 0 is delivered as before.
     */
    default void end() {}
}
