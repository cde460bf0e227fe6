package io.godwit.api.port.client;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.Page;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The clients of all nodes. Called on any thread; calls return at once and do not block. Futures complete on any
 * thread, which the callback must not block, soon after {@code within} at the latest: a node that has not answered by
 * then is named in {@link ClusterAnswer#missingNodes}. They fail only with {@link NotServingException}, when this node
 * itself cannot answer, such as while it starts.
 */
public interface ClientAdmin {
    /** The most clients of a page. */
    int MAX_LIMIT = 1_000;

    /**
     * Clients in the order of their keys. A client that comes, goes or moves to another node between two pages may be
     * in both or in neither; all others are in exactly one.
     *
     * <p>With missing nodes the page leaves out those nodes' clients, even where they belong between the others. The
     * next page continues after {@link Page#next}, which need not be the key of a client.
     *
     * <p>{@link Page#next} names no client of another tenant than the filter's.
     *
     * @param after only clients after this key; null begins with the first. It need not be the key of a client
     * @param limit 1 to {@link #MAX_LIMIT}
     * @param within how long other nodes may take
     */
    CompletableFuture<ClusterAnswer<Page<ClientView, ClientReference>>> clients(
            ClientFilter filter, @Nullable ClientReference after, int limit, Duration within);

    /** One client; empty when no node that has answered knows it. */
    CompletableFuture<ClusterAnswer<Optional<ClientView>>> client(ClientReference key, Duration within);

    /**
     * Ends the client's connection, on any node: a 5.0 client first gets DISCONNECT with the reason code. The session
     * stays for its expiry interval, and the will is published [MQTT5-3.1.2-8].
     *
     * @param reasonCode one that a server may send in DISCONNECT, 0x80 or above, such as 0x98 (administrative action)
     * @return whether there was a connection, which is closed now or about to be. With false and missing nodes, the
     *     client may be connected to one of those
     */
    CompletableFuture<ClusterAnswer<Boolean>> disconnect(ClientReference key, int reasonCode, Duration within);
}
