package io.godwit.inbox;

import io.godwit.inbox.client.InsertRequest;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Message;
import java.util.concurrent.CompletableFuture;

/** Publishes what the store itself owes: wills, and QoS 2 messages found undistributed at start. Adapted to the dist-worker at wiring. */
public interface WillPublisher {
    /**
     * Stores {@code message} as retained if it says so and distributes it under the token (see {@link InsertRequest}). Completes with true
     * when every receiver has it, with false when it must be tried again; never exceptionally. Called on a range executor.
     */
    CompletableFuture<Boolean> publish(
            ClientInfo publisher, Message message, String tokenOrigin, long tokenNumber, long tokenFinishedBelow);

    /**
     * The store has on record that the message of this token is distributed: it is not published under it again, neither by the store nor by a
     * connection. Called on a range executor; must return at once.
     */
    void finished(String tokenOrigin, long tokenNumber);
}
