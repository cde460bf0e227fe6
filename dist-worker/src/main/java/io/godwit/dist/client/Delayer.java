package io.godwit.dist.client;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Message;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Keeps messages whose topic asks for a later publish. */
@FunctionalInterface
public interface Delayer {
    /** For brokers without delayed messages. */
    Delayer NONE = (publisher, message, token) -> null;

    /**
     * Takes {@code message} if it is to be published later. Called on the publisher's thread for topics that begin with
     * '$'; never blocks or throws.
     *
     * @return null when the message is to be published now; else completes on any thread, never exceptionally: with
     *     DELIVERED once it is kept so that it will be published even if this process dies, else with OVERLOADED or
     *     FAILED
     */
    @Nullable
    CompletableFuture<DistOutcome> take(ClientInfo publisher, Message message, @Nullable DeliveryToken token);
}
