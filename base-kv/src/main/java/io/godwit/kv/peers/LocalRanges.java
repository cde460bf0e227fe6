package io.godwit.kv.peers;

import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.range.Range;
import io.godwit.kv.range.leader.RouteToken;
import io.godwit.kv.remote.RangeCall;
import io.godwit.kv.remote.RangeHost;
import io.godwit.kv.store.StoreRanges;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Passes calls that were routed to this node to its replicas. */
public record LocalRanges(Function<String, @Nullable StoreRanges> stores) implements RangeHost {
    @Override
    public CompletableFuture<byte[]> handle(String store, RouteToken token, RangeCall call) {
        StoreRanges ranges = stores.apply(store);
        Range range = ranges == null ? null : ranges.find(token.rangeId());
        if (range == null) {
            return CompletableFuture.failedFuture(
                    new RangeException(Cause.MOVED, store + "-" + token.rangeId() + " is not here"));
        }
        return switch (call.kind()) {
            case MUTATE -> range.mutate(token, call.key(), call.payload(), false, call.deadline());
            case RELIEVE -> range.mutate(token, call.key(), call.payload(), true, call.deadline());
            case QUERY -> range.queryAsLeader(call.key(), call.payload(), call.deadline());
            case QUERY_INTERVAL -> range.queryAsLeader(call.key(), call.end(), call.payload(), call.deadline());
        };
    }
}
