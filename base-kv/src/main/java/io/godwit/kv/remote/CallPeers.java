package io.godwit.kv.remote;

import io.godwit.kv.range.leader.RouteToken;
import java.util.function.Consumer;

/** The nodes that lead ranges of one store, including this one, as callers see them. */
interface CallPeers {
    /**
     * Sends a call. Mutations to one node arrive in the order of these calls or not at all; queries may arrive in any
     * order.
     *
     * @param answer called once if the call was sent, on any thread; with {@code LOST} if the connection broke and the
     *     outcome is unknown. After that the call cannot arrive any more
     * @return whether the call was sent
     */
    boolean send(String storeId, RouteToken token, RangeCall call, Consumer<CallReply> answer);

    /** Asks other nodes for their leaderships; has no effect if they cannot be reached. */
    void refreshRoutes();
}
