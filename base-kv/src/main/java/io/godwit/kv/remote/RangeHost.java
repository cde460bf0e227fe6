package io.godwit.kv.remote;

import io.godwit.kv.range.leader.RouteToken;
import java.util.concurrent.CompletableFuture;

/**
 * The ranges that this node leads, for calls with a token. Any thread; does not block. Futures complete on any thread
 * and fail with {@link io.godwit.kv.client.RangeException} only; with {@code MOVED} if the token is not in force, and
 * then nothing was done.
 */
@FunctionalInterface
public interface RangeHost {
    /** Carries out a call. Mutations of one range are accepted in the order of these calls. */
    CompletableFuture<byte[]> handle(String store, RouteToken token, RangeCall call);
}
