package io.godwit.broker.clients;

import io.godwit.mqtt.client.ClientCriteria;
import io.godwit.mqtt.client.ClientKey;
import io.godwit.mqtt.client.ClientPage;
import io.godwit.mqtt.client.ConnectedClient;
import io.godwit.mqtt.packet.ReasonCode;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The connected clients of one node, this or another. Any thread; calls return at once. Futures complete on any thread,
 * which must not be held up, or fail, once {@code within} is over at the latest.
 */
interface NodeClients {
    /**
     * A page of the list, of those that were found in three quarters of the time.
     *
     * @param after null from the beginning
     * @param limit 1 to {@link io.godwit.mqtt.client.ClientQuery#MAX_LIMIT}
     */
    CompletableFuture<ClientPage<ConnectedClient>> page(
            ClientCriteria criteria, @Nullable ClientKey after, int limit, Duration within);

    CompletableFuture<Optional<ConnectedClient>> find(ClientKey key, Duration within);

    /** Completes with whether it was connected there. */
    CompletableFuture<Boolean> disconnect(ClientKey key, ReasonCode code, Duration within);
}
