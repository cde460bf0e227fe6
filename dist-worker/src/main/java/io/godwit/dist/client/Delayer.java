package io.godwit.dist.client;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Message;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Keeps messages whose topic says that they are to be published later. */
@FunctionalInterface
public interface Delayer {
    /** No topic means that. */
    Delayer NONE = (publisher, message, token) -> null;

    /**
     * Takes {@code message} if it is to be published later. Called on the publisher's thread for topics that begin with
     * '$'; never blocks or throws.
     *
     * @return null when the message is for now; else completes on any thread, never exceptionally, with DELIVERED once
     *     it is kept so that it will be published whatever happens to this process, OVERLOADED or FAILED
     */
    @Nullable
    CompletableFuture<DistOutcome> take(ClientInfo publisher, Message message, @Nullable DeliveryToken token);
}
