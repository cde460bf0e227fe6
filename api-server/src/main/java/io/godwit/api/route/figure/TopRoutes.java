package io.godwit.api.route.figure;

import io.godwit.api.http.Json;
import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.figure.TopSource;
import io.godwit.api.route.Call;
import io.godwit.api.route.Reply;
import io.godwit.api.route.Routes;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/** The slowest and the busiest clients and topics of all nodes. Confined to the event loop. */
public final class TopRoutes {
    private static final int MOST_KEPT = 64;

    private final TopSource top;
    private final SharedAnswers<Asked, Reply> shared;

    /** @param tenant empty for all */
    private record Asked(String list, Optional<String> tenant, int limit) {}

    private TopRoutes(TopSource top, LongSupplier nanoClock) {
        this.top = top;
        this.shared = new SharedAnswers<>(nanoClock, MOST_KEPT);
    }

    public static void add(Routes routes, TopSource top, LongSupplier nanoClock) {
        TopRoutes here = new TopRoutes(top, nanoClock);
        routes.add("topSlowSubscribers", here::slowSubscribers);
        routes.add("topClients", here::clients);
        routes.add("topTopics", here::topics);
    }

    private CompletableFuture<Reply> slowSubscribers(Call call) {
        Asked asked = new Asked("slow-subscribers", call.tenantFilter(), call.number("limit"));
        return shared.get(
                asked,
                () -> top.slowSubscribers(asked.tenant, asked.limit, call.within())
                        .thenApply(TopRoutes::reply));
    }

    private CompletableFuture<Reply> clients(Call call) {
        String by = call.parameters().getString("by");
        Asked asked = new Asked("clients by " + by, call.tenantFilter(), call.number("limit"));
        return shared.get(
                asked,
                () -> top.clients(asked.tenant, by.equals("bytes"), asked.limit, call.within())
                        .thenApply(TopRoutes::reply));
    }

    private CompletableFuture<Reply> topics(Call call) {
        Asked asked = new Asked("topics", call.tenantFilter(), call.number("limit"));
        return shared.get(
                asked,
                () -> top.topics(asked.tenant, asked.limit, call.within()).thenApply(TopRoutes::reply));
    }

    private static <T> Reply reply(ClusterAnswer<List<T>> answer) {
        return Reply.json(new JsonObject()
                .put("items", Json.array(answer.value()))
                .put("missingNodes", Json.array(answer.missingNodes())));
    }
}
