package io.godwit.api.port.figure;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.NotServingException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Statistics of all nodes under RMQTT's names. Called on any thread; calls return at once. Futures complete on any
 * thread, which the callback must not block, soon after {@code within} at the latest; a node that has not answered by
 * then is named in {@link ClusterAnswer#missingNodes} and has no element. They fail only with
 * {@link NotServingException}, when this node itself cannot answer.
 */
public interface StatsSource {
    /** Present values and their maxima: {@code connections.count}, {@code connections.max} and so on. */
    CompletableFuture<ClusterAnswer<List<NodeFigures>>> stats(Duration within);

    /** Counters since the start: {@code messages.publish} and so on. */
    CompletableFuture<ClusterAnswer<List<NodeFigures>>> metrics(Duration within);

    /**
     * Sums over nodes. A value that all nodes share (topics, routes and the like) is taken once instead of added up, as
     * RMQTT does; the implementation knows these values.
     *
     * @param figures the answers of {@link #stats} or of {@link #metrics}
     */
    Map<String, Number> sum(List<NodeFigures> figures);
}
