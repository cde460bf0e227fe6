package io.godwit.api.route.figure;

import io.godwit.api.http.Json;
import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.figure.HistorySource;
import io.godwit.api.port.figure.NodeHistory;
import io.godwit.api.port.figure.NodeHistory.Sample;
import io.godwit.api.route.Call;
import io.godwit.api.route.Reply;
import io.godwit.api.route.Routes;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/** The last hour of each node, and of all together. Confined to the event loop. */
public final class HistoryRoutes {
    private static final Map<String, Double> QUANTILES = Map.of("p50", 0.5, "p95", 0.95, "p99", 0.99);

    /** Cached answers for different start times; each takes some hundred kilobytes. */
    private static final int MOST_KEPT = 8;

    private final HistorySource source;
    private final SharedAnswers<Long, Reply> shared;

    private HistoryRoutes(HistorySource source, LongSupplier nanoClock) {
        this.source = source;
        this.shared = new SharedAnswers<>(nanoClock, MOST_KEPT);
    }

    public static void add(Routes routes, HistorySource source, LongSupplier nanoClock) {
        HistoryRoutes here = new HistoryRoutes(source, nanoClock);
        routes.add("history", here::history);
    }

    private CompletableFuture<Reply> history(Call call) {
        Long given = call.parameters().getLong("since");
        long step = HistorySource.STEP.toMillis();
        // samples are at multiples of the step, so rounding down selects the same samples
        long since = given == null ? 0 : given - given % step;
        return shared.get(since, () -> source.history(since, call.within()).thenApply(HistoryRoutes::reply));
    }

    private static Reply reply(ClusterAnswer<List<NodeHistory>> answer) {
        JsonArray items = new JsonArray();
        answer.value()
                .forEach(node -> items.add(new JsonObject()
                        .put("id", node.id())
                        .put("name", node.name())
                        .put("points", points(node))));
        return Reply.json(new JsonObject()
                .put("stepSeconds", HistorySource.STEP.toSeconds())
                .put("items", items)
                .put("sum", points(HistorySum.of(answer.value())))
                .put("missingNodes", Json.array(answer.missingNodes())));
    }

    private static JsonArray points(NodeHistory node) {
        JsonArray points = new JsonArray();
        node.samples().forEach(sample -> points.add(point(sample, node.boundsMillis())));
        return points;
    }

    private static JsonObject point(Sample sample, List<Double> bounds) {
        JsonObject dropped = new JsonObject();
        sample.droppedPerSecond().forEach((reason, rate) -> dropped.put(reason, rounded(rate)));
        JsonObject point = new JsonObject()
                .put("atMillis", sample.atMillis())
                .put("connections", rounded(sample.connections()))
                .put("inPerSecond", rounded(sample.inPerSecond()))
                .put("outPerSecond", rounded(sample.outPerSecond()))
                .put("droppedPerSecond", dropped);
        if (sample.latencies().stream().anyMatch(count -> count > 0)) {
            JsonObject latency = new JsonObject();
            QUANTILES.forEach((name, share) ->
                    latency.put(name, rounded(HistorySum.quantile(bounds, sample.latencies(), share))));
            point.put("latencyMillis", latency);
        }
        return point;
    }

    private static double rounded(double value) {
        return Double.isFinite(value) ? Math.round(value * 100) / 100.0 : 0;
    }
}
