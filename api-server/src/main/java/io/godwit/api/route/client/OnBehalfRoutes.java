package io.godwit.api.route.client;

import io.godwit.api.http.Json;
import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.client.SubscribeOnBehalf;
import io.godwit.api.port.client.SubscribeOnBehalf.Coded;
import io.godwit.api.port.client.SubscribeOnBehalf.Wanted;
import io.godwit.api.route.Absence;
import io.godwit.api.route.Call;
import io.godwit.api.route.MqttText;
import io.godwit.api.route.Refused;
import io.godwit.api.route.Reply;
import io.godwit.api.route.Routes;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Subscribes and unsubscribes clients on behalf of an operator. */
public final class OnBehalfRoutes {
    private final SubscribeOnBehalf clients;

    private OnBehalfRoutes(SubscribeOnBehalf clients) {
        this.clients = clients;
    }

    public static void add(Routes routes, SubscribeOnBehalf clients) {
        OnBehalfRoutes here = new OnBehalfRoutes(clients);
        routes.add("subscribeClient", here::subscribe);
        routes.add("unsubscribeClient", here::unsubscribe);
    }

    private CompletableFuture<Reply> subscribe(Call call) {
        List<Wanted> wanted = new ArrayList<>();
        JsonArray items = call.body().getJsonArray("subscriptions");
        for (int i = 0; i < items.size(); i++) {
            JsonObject each = items.getJsonObject(i);
            wanted.add(new Wanted(
                    MqttText.string("subscriptions." + i + ".filter", each.getString("filter")),
                    each.getInteger("qos", 0),
                    each.getBoolean("noLocal", false),
                    each.getBoolean("retainAsPublished", false),
                    each.getInteger("retainHandling", 0)));
        }
        return reply(
                clients.subscribe(
                        ClientRoutes.key(call), wanted, call.body().getInteger("subscriptionId", 0), call.within()),
                "subscriptions");
    }

    private CompletableFuture<Reply> unsubscribe(Call call) {
        String filter = MqttText.string("filter", call.parameters().getString("filter"));
        return reply(clients.unsubscribe(ClientRoutes.key(call), List.of(filter), call.within()), "filter");
    }

    private static CompletableFuture<Reply> reply(
            CompletableFuture<ClusterAnswer<Optional<List<Coded>>>> asked, String field) {
        return Refused.as(
                        asked,
                        wrong -> new ProblemException(Problem.invalid(field, String.valueOf(wrong.getMessage()))))
                .thenApply(answer -> answer.value()
                        .map(codes -> Reply.json(new JsonObject().put("items", Json.array(codes))))
                        .orElseThrow(() -> Absence.of(answer, "there is no client of that id")));
    }
}
