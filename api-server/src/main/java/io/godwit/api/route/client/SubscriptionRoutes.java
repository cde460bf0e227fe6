package io.godwit.api.route.client;

import io.godwit.api.http.Json;
import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.Page;
import io.godwit.api.port.client.SubscriptionAdmin;
import io.godwit.api.port.client.SubscriptionAdmin.Receivers;
import io.godwit.api.port.client.SubscriptionAdmin.Subscription;
import io.godwit.api.route.Absence;
import io.godwit.api.route.Call;
import io.godwit.api.route.Cursors;
import io.godwit.api.route.MqttText;
import io.godwit.api.route.Refused;
import io.godwit.api.route.Reply;
import io.godwit.api.route.Routes;
import io.godwit.plugin.topic.TopicFilter;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Subscriptions of all nodes: of one client, to one filter, and the receivers of a topic. */
public final class SubscriptionRoutes {
    private static final String LIST = "subscriptions";
    private static final String GROUPS = "groups";

    private final SubscriptionAdmin subscriptions;

    private SubscriptionRoutes(SubscriptionAdmin subscriptions) {
        this.subscriptions = subscriptions;
    }

    public static void add(Routes routes, SubscriptionAdmin subscriptions) {
        SubscriptionRoutes here = new SubscriptionRoutes(subscriptions);
        routes.add("listClientSubscriptions", here::ofClient);
        routes.add("listSubscribers", here::subscribers);
        routes.add("listReceivers", here::receivers);
        routes.add("listGroups", here::groups);
        routes.add("listGroupMembers", here::members);
    }

    private CompletableFuture<Reply> ofClient(Call call) {
        String after =
                Cursors.position(call, LIST, 1).map(position -> position.get(0)).orElse(null);
        return subscriptions
                .subscriptions(ClientRoutes.key(call), after, call.number("limit"), call.within())
                .thenApply(answer -> answer.value()
                        .map(page -> reply(page, answer.missingNodes()))
                        .orElseThrow(() -> Absence.of(answer, "there is no client of that id")));
    }

    private static Reply reply(Page<Subscription, String> page, List<String> missingNodes) {
        JsonObject json =
                new JsonObject().put("items", Json.array(page.items())).put("missingNodes", Json.array(missingNodes));
        String next = page.next();
        if (next != null) {
            json.put("next", Cursors.of(LIST, next));
        }
        return Reply.json(json);
    }

    private CompletableFuture<Reply> subscribers(Call call) {
        String filter = MqttText.string("filter", call.parameters().getString("filter"));
        return reply(subscriptions.subscribers(call.tenant(), filter, call.number("limit"), call.within()), "filter");
    }

    private CompletableFuture<Reply> receivers(Call call) {
        String topic = MqttText.string("topic", call.parameters().getString("topic"));
        return reply(subscriptions.receivers(call.tenant(), topic, call.number("limit"), call.within()), "topic");
    }

    private CompletableFuture<Reply> groups(Call call) {
        String after = Cursors.position(call, GROUPS, 1)
                .map(position -> position.get(0))
                .orElse(null);
        return subscriptions
                .groups(
                        call.tenant(),
                        call.text("group"),
                        call.text("filter"),
                        after,
                        call.number("limit"),
                        call.within())
                .thenApply(page -> {
                    JsonObject json = new JsonObject().put("items", Json.array(page.items()));
                    String next = page.next();
                    if (next != null) {
                        json.put("next", Cursors.of(GROUPS, next));
                    }
                    return Reply.json(json);
                });
    }

    private CompletableFuture<Reply> members(Call call) {
        String filter = MqttText.string("sharedFilter", call.parameters().getString("sharedFilter"));
        if (!TopicFilter.parse(filter).map(TopicFilter::isShared).orElse(false)) {
            throw new ProblemException(Problem.invalid("sharedFilter", "is no filter of a shared subscription"));
        }
        return reply(
                subscriptions.subscribers(call.tenant(), filter, call.number("limit"), call.within()), "sharedFilter");
    }

    private static CompletableFuture<Reply> reply(CompletableFuture<ClusterAnswer<Receivers>> asked, String field) {
        return Refused.as(
                        asked,
                        wrong -> new ProblemException(Problem.invalid(field, String.valueOf(wrong.getMessage()))))
                .thenApply(answer -> Reply.json(new JsonObject()
                        .put("items", Json.array(answer.value().items()))
                        .put("total", answer.value().total())
                        .put("missingNodes", Json.array(answer.missingNodes()))));
    }
}
