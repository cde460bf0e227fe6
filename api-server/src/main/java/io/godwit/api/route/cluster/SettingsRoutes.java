package io.godwit.api.route.cluster;

import io.godwit.api.http.Json;
import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.cluster.SettingsAdmin;
import io.godwit.api.port.cluster.SettingsAdmin.NodeSettings;
import io.godwit.api.port.cluster.SettingsAdmin.Setting;
import io.godwit.api.route.Call;
import io.godwit.api.route.Reply;
import io.godwit.api.route.Routes;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** The configuration in force, and plugins. */
public final class SettingsRoutes {
    private final SettingsAdmin settings;

    private SettingsRoutes(SettingsAdmin settings) {
        this.settings = settings;
    }

    public static void add(Routes routes, SettingsAdmin settings) {
        SettingsRoutes here = new SettingsRoutes(settings);
        routes.add("configuration", here::configuration);
        routes.add("listPlugins", here::plugins);
    }

    private CompletableFuture<Reply> configuration(Call call) {
        Optional<String> node = call.text("node");
        boolean onlyGiven = call.parameters().getBoolean("onlyGiven");
        return settings.configuration(call.within()).thenApply(answer -> {
            if (node.isPresent()
                    && answer.value().stream().noneMatch(each -> each.node().equals(node.get()))) {
                throw new ProblemException(
                        answer.missingNodes().contains(node.get())
                                ? Problem.nodesMissing("the node did not answer", answer.missingNodes())
                                : Problem.notFound("there is no such node, or it does not run"));
            }
            JsonArray items = new JsonArray();
            answer.value().stream()
                    .filter(each -> node.map(each.node()::equals).orElse(true))
                    .forEach(each -> items.add(item(each, onlyGiven)));
            return Reply.json(new JsonObject()
                    .put("items", items)
                    .put("differences", differences(answer))
                    .put("missingNodes", Json.array(answer.missingNodes())));
        });
    }

    private static JsonObject item(NodeSettings node, boolean onlyGiven) {
        List<Setting> wanted = node.settings().stream()
                .filter(each -> !onlyGiven || each.source() != SettingsAdmin.Source.DEFAULT)
                .toList();
        return new JsonObject().put("node", node.node()).put("settings", Json.array(wanted));
    }

    /** Keys whose values differ between the nodes that answered, or which some of them do not have. */
    private static JsonArray differences(ClusterAnswer<List<NodeSettings>> answer) {
        Map<String, TreeMap<String, String>> byKey = new LinkedHashMap<>();
        for (NodeSettings node : answer.value()) {
            for (Setting each : node.settings()) {
                byKey.computeIfAbsent(each.key(), key -> new TreeMap<>()).put(node.node(), each.value());
            }
        }
        JsonArray differences = new JsonArray();
        byKey.forEach((key, values) -> {
            boolean isSame = values.size() == answer.value().size() && new HashSet<>(values.values()).size() == 1;
            if (!isSame) {
                JsonArray of = new JsonArray();
                values.forEach((node, value) ->
                        of.add(new JsonObject().put("node", node).put("value", value)));
                differences.add(new JsonObject().put("key", key).put("values", of));
            }
        });
        return differences;
    }

    private CompletableFuture<Reply> plugins(Call call) {
        return settings.plugins(call.within())
                .thenApply(answer -> Reply.json(new JsonObject()
                        .put("items", Json.array(answer.value()))
                        .put("missingNodes", Json.array(answer.missingNodes()))));
    }
}
