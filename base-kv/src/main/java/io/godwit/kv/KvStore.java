package io.godwit.kv;

import io.godwit.kv.client.RangeClient;
import io.godwit.kv.range.Range;
import io.godwit.kv.range.RangeRouter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A store of a {@link KvNode}, which closes it. */
public final class KvStore {
    private final String name;
    private final List<Range> ranges;
    private final RangeRouter router;
    private final CompletableFuture<Void> ready;
    /** Written once, by whichever thread meets the first fault. */
    private volatile @Nullable String failure;

    KvStore(String name, List<Range> ranges) {
        this.name = name;
        this.ranges = ranges;
        this.router = new RangeRouter(ranges);
        this.ready = CompletableFuture.allOf(ranges.stream().map(Range::ready).toArray(CompletableFuture[]::new));
    }

    public String name() {
        return name;
    }

    /** The way in. Requests wait while ranges have no leader yet. */
    public RangeClient client() {
        return router;
    }

    /** Completes on a range executor when all ranges serve; fails with {@link io.godwit.kv.client.RangeException}. */
    public CompletableFuture<Void> ready() {
        return ready;
    }

    List<Range> ranges() {
        return ranges;
    }

    void failed(String what) {
        if (failure == null) {
            failure = what;
        }
    }

    /** @param diskDetail why not everything is written; empty when it is */
    StoreHealth health(String diskDetail) {
        String failed = failure;
        if (failed != null) {
            return new StoreHealth(StoreHealth.State.FAILED, failed);
        }
        if (!diskDetail.isEmpty()) {
            return new StoreHealth(StoreHealth.State.READ_ONLY, diskDetail);
        }
        return ready.isDone()
                ? new StoreHealth(StoreHealth.State.SERVING, "")
                : new StoreHealth(StoreHealth.State.STARTING, "ranges are being opened");
    }
}
