package io.godwit.api.route.cluster;

import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.api.port.cluster.LogLevels;
import io.godwit.api.route.Call;
import io.godwit.api.route.Reply;
import io.godwit.api.route.Routes;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/** Log levels of this node. */
public final class LogRoutes {
    private final LogLevels levels;

    private LogRoutes(LogLevels levels) {
        this.levels = levels;
    }

    public static void add(Routes routes, LogLevels levels) {
        LogRoutes here = new LogRoutes(levels);
        routes.add("listLogLevels", call -> here.list());
        routes.add("setLogLevel", here::set);
    }

    private CompletableFuture<Reply> list() {
        JsonArray items = new JsonArray();
        levels.levels()
                .forEach((logger, level) -> items.add(new JsonObject()
                        .put("logger", logger)
                        .put("level", level.name().toLowerCase(Locale.ROOT))));
        return CompletableFuture.completedFuture(Reply.json(new JsonObject().put("items", items)));
    }

    private CompletableFuture<Reply> set(Call call) {
        String wanted = call.body().getString("level").toUpperCase(Locale.ROOT);
        levels.set(call.parameters().getString("logger"), LogLevels.Level.valueOf(wanted))
                .ifPresent(why -> {
                    throw new ProblemException(Problem.invalid("logger", why));
                });
        return CompletableFuture.completedFuture(Reply.done());
    }
}
