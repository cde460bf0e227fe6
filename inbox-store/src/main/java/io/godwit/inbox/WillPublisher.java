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
 * Publishes what the store itself owes: wills, and QoS 2 messages found undistributed at start. Adapted to the
 * dist-worker at wiring.
 */
public interface WillPublisher {
    /**
     * Stores {@code message} as retained if it says so and distributes it under the token (see {@link InsertRequest}).
     * Completes with true when every receiver has it, with false when it must be tried again; never exceptionally.
     * Called on a range executor.
     *
     * @param decidedAtMillis wall clock: when the will was owed first, or the QoS 2 message received. What was
     *     retained for the topic later is newer and stays
     * @param order of the messages that are published together, by token number; null for one alone
     * @param resend abandoned when the leader that publishes is none any more: the next one publishes it again, so
     *     that from then on nobody is chosen for it, and nothing of it is sent
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
     * The store has on record that {@code message} is distributed: it is not published under this token again, neither
     * by the store nor by a connection. Called on a range executor; must return at once.
     *
     * @param message null when nothing is known of it any more, since this was told before
     */
    void finished(TenantId tenant, @Nullable Message message, String tokenOrigin, long tokenNumber);
}
