package io.godwit.api.route.figure;

import io.godwit.api.http.Json;
import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.figure.NodeFigures;
import io.godwit.api.port.figure.StatsSource;
import io.godwit.api.route.Call;
import io.godwit.api.route.Reply;
import io.godwit.api.route.Routes;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/**
 * Statistics in the format of RMQTT, so that dashboards made for it work: a list for all nodes, an object for the sum.
 * A node that does not answer has another status there, as in RMQTT. Confined to the event loop.
 */
public final class FigureRoutes {
    private static final String NO_ANSWER = "No answer";

    private final StatsSource source;
    private final SharedAnswers<String, ClusterAnswer<List<NodeFigures>>> shared;

    private FigureRoutes(StatsSource source, LongSupplier nanoClock) {
        this.source = source;
        this.shared = new SharedAnswers<>(nanoClock, 2);
    }

    private interface Asking {
        CompletableFuture<ClusterAnswer<List<NodeFigures>>> ask(Call call);
    }

    public static void add(Routes routes, StatsSource source, LongSupplier nanoClock) {
        FigureRoutes here = new FigureRoutes(source, nanoClock);
        here.add(routes, "stats", call -> here.shared.get("stats", () -> source.stats(call.within())));
        here.add(routes, "metrics", call -> here.shared.get("metrics", () -> source.metrics(call.within())));
    }

    private void add(Routes routes, String kind, Asking asking) {
        routes.add(kind, call -> asking.ask(call).thenApply(answer -> all(kind, answer)));
        routes.add(kind + "OfNode", call -> {
            String node = call.parameters().getString("node");
            return asking.ask(call).thenApply(answer -> one(kind, node, answer));
        });
        routes.add(kind + "Sum", call -> asking.ask(call).thenApply(answer -> sum(kind, answer)));
    }

    private static Reply all(String kind, ClusterAnswer<List<NodeFigures>> answer) {
        JsonArray list = new JsonArray();
        answer.value().forEach(node -> list.add(element(kind, node)));
        answer.missingNodes().forEach(id -> list.add(element(kind, new NodeFigures(id, "", NO_ANSWER, Map.of()))));
        return Reply.json(list);
    }

    private static Reply one(String kind, String id, ClusterAnswer<List<NodeFigures>> answer) {
        for (NodeFigures node : answer.value()) {
            if (node.id().equals(id)) {
                return Reply.json(element(kind, node));
            }
        }
        throw new ProblemException(
                answer.missingNodes().contains(id)
                        ? Problem.nodesMissing("the node did not answer in time", List.of(id))
                        : Problem.notFound("there is no node of that id"));
    }

    private Reply sum(String kind, ClusterAnswer<List<NodeFigures>> answer) {
        boolean isPlain = kind.equals("metrics");
        if (isPlain && !answer.missingNodes().isEmpty()) { // the format cannot name missing nodes
            throw new ProblemException(Problem.nodesMissing(
                    "the sum would fall, because it would lack the counts of these nodes", answer.missingNodes()));
        }
        JsonObject sums = Json.figures(source.sum(answer.value()));
        if (isPlain) {
            return Reply.json(sums);
        }
        JsonObject nodes = new JsonObject();
        answer.value()
                .forEach(node -> nodes.put(
                        node.id(), new JsonObject().put("name", node.name()).put("status", node.status())));
        answer.missingNodes()
                .forEach(id -> nodes.put(id, new JsonObject().put("name", "").put("status", NO_ANSWER)));
        return Reply.json(new JsonObject().put("nodes", nodes).put(kind, sums));
    }

    private static JsonObject element(String kind, NodeFigures node) {
        return new JsonObject()
                .put(
                        "node",
                        new JsonObject()
                                .put("id", node.id())
                                .put("name", node.name())
                                .put("status", node.status()))
                .put(kind, Json.figures(node.figures()));
    }
}
