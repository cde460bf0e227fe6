package io.godwit.api.route;

import io.godwit.api.http.Json;
import io.godwit.api.port.Answer;
import io.godwit.api.port.TopSource;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The slowest and the busiest of all nodes. */
public final class TopRoutes {
    private final TopSource top;

    private TopRoutes(TopSource top) {
        this.top = top;
    }

    public static void add(Routes routes, TopSource top) {
        TopRoutes here = new TopRoutes(top);
        routes.add("topSlowSubscribers", here::slowSubscribers);
        routes.add("topClients", here::clients);
        routes.add("topTopics", here::topics);
    }

    private CompletableFuture<Reply> slowSubscribers(Call call) {
        return top.slowSubscribers(call.tenantFilter(), call.number("limit"), call.within())
                .thenApply(TopRoutes::reply);
    }

    private CompletableFuture<Reply> clients(Call call) {
        boolean isByBytes = call.parameters().getString("by").equals("bytes");
        return top.clients(call.tenantFilter(), isByBytes, call.number("limit"), call.within())
                .thenApply(TopRoutes::reply);
    }

    private CompletableFuture<Reply> topics(Call call) {
        return top.topics(call.tenantFilter(), call.number("limit"), call.within())
                .thenApply(TopRoutes::reply);
    }

    private static <T> Reply reply(Answer<List<T>> answer) {
        return Reply.json(new JsonObject()
                .put("items", Json.array(answer.value()))
                .put("missingNodes", Json.array(answer.missingNodes())));
    }
}
