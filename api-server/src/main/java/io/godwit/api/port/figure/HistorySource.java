package io.godwit.api.port.figure;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.NotServingException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The last hour of all nodes, from their memory. */
@FunctionalInterface
public interface HistorySource {
    /** The time from one sample to the next. */
    Duration STEP = Duration.ofSeconds(10);

    /** The most samples of one node. */
    int MAX_SAMPLES = 360;

    /**
     * Called on any thread; returns at once. The future completes on any thread, which the callback must not block,
     * soon after {@code within} at the latest; it fails only with {@link NotServingException}.
     *
     * @param sinceMillis only samples later than this; since 1970
     */
    CompletableFuture<ClusterAnswer<List<NodeHistory>>> history(long sinceMillis, Duration within);
}
