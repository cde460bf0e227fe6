package io.godwit.kv.remote;

import io.godwit.kv.range.leader.RouteToken;
import java.util.concurrent.CompletableFuture;

/**
 * The ranges that this node leads, as calls by token see them. Any thread; nothing blocks. Futures complete on any
 * thread and fail with {@link io.godwit.kv.client.RangeException} only: with {@code MOVED} when the token is not in
 * force, and then nothing was done.
 */
@FunctionalInterface
public interface RangeHost {
    /** Has the call done. Mutations of one range are taken in the order of these calls. */
    CompletableFuture<byte[]> handle(String store, RouteToken token, RangeCall call);
}
