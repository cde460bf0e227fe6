package io.godwit.api.route.cluster;

import io.godwit.api.http.BodyStream;
import io.godwit.api.http.Json;
import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.cluster.StoreAdmin;
import io.godwit.api.port.cluster.StoreAdmin.BalancerAction;
import io.godwit.api.port.cluster.StoreAdmin.BalancerChange;
import io.godwit.api.port.cluster.StoreAdmin.BalancerView;
import io.godwit.api.port.cluster.StoreAdmin.MoveState;
import io.godwit.api.port.cluster.StoreAdmin.RangeName;
import io.godwit.api.route.Call;
import io.godwit.api.route.Reply;
import io.godwit.api.route.Routes;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** Changes of ranges, balancers, replicas and nodes; and backups. */
public final class StoreRoutes {
    private final StoreAdmin stores;

    private StoreRoutes(StoreAdmin stores) {
        this.stores = stores;
    }

    public static void add(Routes routes, StoreAdmin stores) {
        StoreRoutes here = new StoreRoutes(stores);
        routes.add("splitRange", here::split);
        routes.add("mergeRange", here::merge);
        routes.add("transferRange", here::transfer);
        routes.add("moveReplica", here::move);
        routes.add("listBalancers", here::balancers);
        routes.add("changeBalancer", here::change);
        routes.add("listReplicas", here::replicas);
        routes.add("setReplicas", here::wantVoters);
        routes.add("drainState", here::drainState);
        routes.add("drainNode", call -> here.drain(call, true));
        routes.add("keepNode", call -> here.drain(call, false));
        routes.add("forgetNode", here::forget);
        routes.add("replaceNode", here::replace);
        routes.add("replaceState", here::replaceState);
        routes.add("backupStore", here::backup);
    }

    private static RangeName range(Call call) {
        return new RangeName(
                call.parameters().getString("store"),
                call.parameters().getLong("rangeId"),
                number(call.body(), "epoch"));
    }

    private static OptionalLong number(JsonObject body, String name) {
        Long value = body.getLong(name);
        return value == null ? OptionalLong.empty() : OptionalLong.of(value);
    }

    private static boolean mayReduce(Call call) {
        return call.body().getBoolean("lower", false);
    }

    private static CompletableFuture<Reply> done(CompletableFuture<StoreAdmin.Done> asked) {
        return asked.thenApply(done -> Reply.json(Json.object(done)));
    }

    private CompletableFuture<Reply> split(Call call) {
        return done(stores.split(range(call), Optional.ofNullable(call.body().getString("key")), call.within()));
    }

    private CompletableFuture<Reply> merge(Call call) {
        return done(stores.merge(range(call), number(call.body(), "rightEpoch"), call.within()));
    }

    private CompletableFuture<Reply> transfer(Call call) {
        return done(stores.transfer(range(call), call.body().getString("to"), call.within()));
    }

    private CompletableFuture<Reply> move(Call call) {
        return stores.move(
                        range(call),
                        call.body().getString("from"),
                        call.body().getString("to"),
                        mayReduce(call),
                        call.within())
                .thenApply(StoreRoutes::reply);
    }

    private static Reply reply(MoveState state) {
        JsonObject json = new JsonObject()
                .put("state", state.isDone() ? "done" : "moving")
                .put("step", state.step());
        return Reply.json(state.isDone() ? 200 : 202, json);
    }

    private CompletableFuture<Reply> balancers(Call call) {
        return stores.balancers(call.text("store").map(List::of).orElse(List.of()), call.within())
                .thenApply(StoreRoutes::reply);
    }

    private static Reply reply(ClusterAnswer<List<BalancerView>> answer) {
        return Reply.json(new JsonObject()
                .put("items", Json.array(answer.value()))
                .put("missingNodes", Json.array(answer.missingNodes())));
    }

    private CompletableFuture<Reply> change(Call call) {
        JsonObject body = call.body();
        BalancerAction action = BalancerAction.valueOf(body.getString("action").toUpperCase(Locale.ROOT));
        int seconds = body.getInteger("forSeconds", 0);
        Map<String, String> settings = new TreeMap<>();
        body.getJsonObject("settings", new JsonObject())
                .forEach(each -> settings.put(each.getKey(), String.valueOf(each.getValue())));
        if (seconds != 0 && action != BalancerAction.PAUSE) {
            throw new ProblemException(Problem.invalid("forSeconds", "is for the action pause"));
        }
        if ((action == BalancerAction.TUNE) == settings.isEmpty()) {
            throw new ProblemException(Problem.invalid("settings", "go together with the action tune"));
        }
        return stores.change(
                        new BalancerChange(
                                body.getString("store"),
                                body.getString("balancer"),
                                action,
                                Optional.ofNullable(body.getString("node")),
                                seconds,
                                settings),
                        call.within())
                .thenApply(StoreRoutes::reply);
    }

    private CompletableFuture<Reply> replicas(Call call) {
        return stores.replicas(call.within())
                .thenApply(all -> Reply.json(new JsonObject().put("items", Json.array(all))));
    }

    private CompletableFuture<Reply> wantVoters(Call call) {
        return done(stores.wantVoters(
                call.body().getString("store"), call.body().getInteger("count"), mayReduce(call), call.within()));
    }

    private static String node(Call call) {
        return call.parameters().getString("node");
    }

    private CompletableFuture<Reply> drainState(Call call) {
        return stores.drainState(node(call), call.within()).thenApply(state -> Reply.json(Json.object(state)));
    }

    private CompletableFuture<Reply> drain(Call call, boolean isToGo) {
        return stores.drain(node(call), isToGo, mayReduce(call), call.within())
                .thenApply(state -> Reply.json(Json.object(state)));
    }

    private CompletableFuture<Reply> forget(Call call) {
        return done(stores.forget(node(call), call.within()));
    }

    private CompletableFuture<Reply> replace(Call call) {
        return stores.replace(node(call), call.body().getString("by"), call.within())
                .thenApply(state -> Reply.json(202, Json.object(state)));
    }

    private CompletableFuture<Reply> replaceState(Call call) {
        return stores.replaceState(node(call))
                .thenApply(state -> Reply.json(Json.object(state.orElseThrow(() -> new ProblemException(
                        Problem.notFound("this node does not know of a replacement of node " + node(call)))))));
    }

    private CompletableFuture<Reply> backup(Call call) {
        return stores.backup(call.parameters().getString("store"), call.within())
                .thenApply(backup -> Reply.stream("application/x-tar", stream(backup)));
    }

    private static BodyStream stream(StoreAdmin.Backup backup) {
        return new BodyStream() {
            @Override
            public void writeTo(OutputStream out) throws IOException {
                backup.writeTo(out);
            }

            @Override
            public void close() {
                backup.close();
            }
        };
    }
}
