package io.godwit.kv.remote;

import io.godwit.kv.range.leader.RouteToken;
import java.util.function.Consumer;

/** The nodes that lead ranges of one store, this one among them, as those see them that have something to ask. */
interface CallPeers {
    /**
     * Sends a call. Mutations to one node arrive in the order of these calls or not at all; queries may do so in any
     * order.
     *
     * @param answer told once if it was sent, on any thread; with {@code TIMEOUT} when the connection broke and nobody
     *     knows. After that the call does not arrive any more
     * @return whether it was sent
     */
    boolean send(String storeId, RouteToken token, RangeCall call, Consumer<CallReply> answer);

    /** Has nodes asked what they lead; nothing comes of it when they cannot be reached. */
    void refreshRoutes();
}
