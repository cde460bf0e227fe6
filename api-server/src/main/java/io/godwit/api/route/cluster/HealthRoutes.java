package io.godwit.api.route.cluster;

import io.godwit.api.http.Json;
import io.godwit.api.port.cluster.ClusterAdmin;
import io.godwit.api.port.cluster.HealthView;
import io.godwit.api.route.Call;
import io.godwit.api.route.Reply;
import io.godwit.api.route.Routes;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Health, answered on the event loop, so that busy worker threads do not matter. */
public final class HealthRoutes {
    private final ClusterAdmin cluster;

    private HealthRoutes(ClusterAdmin cluster) {
        this.cluster = cluster;
    }

    public static void add(Routes routes, ClusterAdmin cluster) {
        HealthRoutes health = new HealthRoutes(cluster);
        routes.add("live", health::live);
        routes.add("ready", health::ready);
    }

    private CompletableFuture<Reply> live(Call call) {
        return answer(call, cluster.health().notLive());
    }

    private CompletableFuture<Reply> ready(Call call) {
        HealthView health = cluster.health();
        List<String> reasons = new ArrayList<>(health.notLive());
        reasons.addAll(health.notReady());
        return answer(call, reasons);
    }

    private static CompletableFuture<Reply> answer(Call call, List<String> reasons) {
        JsonObject json = new JsonObject().put("status", reasons.isEmpty() ? "ok" : "failed");
        if (call.caller().isPresent() || call.isOfThisMachine()) {
            json.put("reasons", Json.array(reasons));
        }
        return CompletableFuture.completedFuture(Reply.json(reasons.isEmpty() ? 200 : 503, json));
    }
}
