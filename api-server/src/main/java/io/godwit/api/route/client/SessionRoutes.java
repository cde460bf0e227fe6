package io.godwit.api.route.client;

import io.godwit.api.http.Json;
import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.api.port.client.SessionAdmin;
import io.godwit.api.port.client.SessionAdmin.SessionPage;
import io.godwit.api.route.Call;
import io.godwit.api.route.Cursors;
import io.godwit.api.route.Refused;
import io.godwit.api.route.Reply;
import io.godwit.api.route.Routes;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.CompletableFuture;

/** Stored sessions of all nodes, and their queues. */
public final class SessionRoutes {
    private static final String ABSENT = "there is no stored session of that client id";

    private final SessionAdmin sessions;

    private SessionRoutes(SessionAdmin sessions) {
        this.sessions = sessions;
    }

    public static void add(Routes routes, SessionAdmin sessions) {
        SessionRoutes here = new SessionRoutes(sessions);
        routes.add("listSessions", here::list);
        routes.add("getSession", here::one);
        routes.add("deleteSession", here::delete);
        routes.add("purgeQueue", here::purge);
    }

    private CompletableFuture<Reply> list(Call call) {
        SessionAdmin.Filter filter = new SessionAdmin.Filter(
                call.tenantFilter(),
                ClientRoutes.idPattern(call),
                call.parameters().getBoolean("onlyDisconnected"),
                call.number("minQueued"));
        CompletableFuture<SessionPage> page =
                sessions.sessions(filter, call.text("cursor").orElse(null), call.number("limit"), call.within());
        return Refused.as(page, wrong -> Cursors.wrong()).thenApply(SessionRoutes::reply);
    }

    private static Reply reply(SessionPage page) {
        JsonObject json = new JsonObject().put("items", Json.array(page.items()));
        if (page.cursor() != null) {
            json.put("next", page.cursor());
        }
        return Reply.json(json);
    }

    private CompletableFuture<Reply> one(Call call) {
        return sessions.session(ClientRoutes.key(call), call.within())
                .thenApply(found -> found.map(session -> Reply.json(new JsonObject().put("item", Json.object(session))))
                        .orElseThrow(SessionRoutes::absent));
    }

    private CompletableFuture<Reply> delete(Call call) {
        return sessions.delete(ClientRoutes.key(call), call.within()).thenApply(existed -> {
            if (!existed) {
                throw absent();
            }
            return Reply.done();
        });
    }

    private CompletableFuture<Reply> purge(Call call) {
        return sessions.purge(ClientRoutes.key(call), call.within())
                .thenApply(purged ->
                        purged.map(done -> Reply.json(Json.object(done))).orElseThrow(SessionRoutes::absent));
    }

    private static ProblemException absent() {
        return new ProblemException(Problem.notFound(ABSENT));
    }
}
