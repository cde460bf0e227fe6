package io.godwit.api.port;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The last hour of all nodes, out of their memory. */
@FunctionalInterface
public interface HistorySource {
    /** From one sample to the next. */
    Duration STEP = Duration.ofSeconds(10);

    /** So many samples at most of each node. */
    int MAX_SAMPLES = 360;

    /**
     * Called on any thread; returns at once. The future completes on any thread, which the callback must not hold up,
     * and at the latest soon after {@code within}; it fails with {@link NotServingException} only.
     *
     * @param sinceMillis only samples later than this; since 1970
     */
    CompletableFuture<Answer<List<NodeHistory>>> history(long sinceMillis, Duration within);
}
