package io.godwit.api.port;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Figures of all nodes under RMQTT's names. Called on any thread; calls return at once. Futures complete on any
 * thread, which the callback must not hold up, and at the latest soon after {@code within}; a node that has not
 * answered by then is named in {@link Answer#missingNodes} and has no element. They fail with {@link
 * NotServingException} only, when this node itself cannot answer.
 */
public interface StatsSource {
    /** What there is now, and has been at most: {@code connections.count}, {@code connections.max} and so on. */
    CompletableFuture<Answer<List<NodeFigures>>> stats(Duration within);

    /** What has been counted since the start: {@code messages.publish} and so on. */
    CompletableFuture<Answer<List<NodeFigures>>> metrics(Duration within);

    /**
     * Sums over nodes. What all nodes have in common (topics, routes and the like) is not added up but taken once, as
     * RMQTT does; the implementation knows which that is.
     *
     * @param figures the answers of {@link #stats} or of {@link #metrics}
     */
    Map<String, Number> sum(List<NodeFigures> figures);
}
