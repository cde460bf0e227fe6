package io.godwit.inbox;

import io.godwit.inbox.client.InsertRequest;
import io.godwit.kv.client.RequestOrder;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Publishes messages that the store itself owes: wills, and QoS 2 messages that were stored but not distributed. The
 * broker adapts it to the dist-worker at wiring.
 */
public interface WillPublisher {
    /**
     * Stores {@code message} as retained if its flag says so and distributes it under the token (see
     * {@link InsertRequest}). Completes with true when every receiver has it, with false when the caller must try
     * again; never exceptionally. Called on a range executor.
     *
     * @param decidedAtMillis wall clock: when the will first became due, or the QoS 2 message was received. A retained
     *     message of the topic that was stored later is newer and stays
     * @param order of the messages that are published together, by token number; null for a single message
     * @param resend abandoned when the calling leader loses its leadership. The next leader publishes the message
     *     again, so from then on no receiver is chosen for this call and nothing more is sent
     */
    CompletableFuture<Boolean> publish(
            ClientInfo publisher,
            Message message,
            String tokenOrigin,
            long tokenNumber,
            long tokenFinishedBelow,
            long decidedAtMillis,
            @Nullable RequestOrder order,
            Resend resend);

    /**
     * The store has committed that {@code message} is distributed: neither the store nor a connection publishes it
     * under this token again. Called on a range executor; must return at once.
     *
     * @param message null when the store no longer has it, because it has made this call before
     */
    void finished(TenantId tenant, @Nullable Message message, String tokenOrigin, long tokenNumber);
}
