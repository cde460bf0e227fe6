package io.godwit.api.route.message;

import io.godwit.api.http.Json;
import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.api.port.message.DelayedAdmin;
import io.godwit.api.route.Call;
import io.godwit.api.route.Cursors;
import io.godwit.api.route.MqttText;
import io.godwit.api.route.Refused;
import io.godwit.api.route.Reply;
import io.godwit.api.route.Routes;
import io.vertx.core.json.JsonObject;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Delayed messages. */
public final class DelayedRoutes {
    private final DelayedAdmin delayed;

    private DelayedRoutes(DelayedAdmin delayed) {
        this.delayed = delayed;
    }

    public static void add(Routes routes, DelayedAdmin delayed) {
        DelayedRoutes here = new DelayedRoutes(delayed);
        routes.add("listDelayed", here::list);
        routes.add("countDelayed", here::count);
        routes.add("deleteDelayedMatching", here::discardMatching);
        routes.add("deleteDelayed", here::discard);
    }

    private CompletableFuture<Reply> list(Call call) {
        Optional<String> filter = call.text("filter").map(text -> MqttText.string("filter", text));
        return checked(
                        call,
                        delayed.delayed(
                                call.tenant(),
                                filter,
                                call.text("cursor").orElse(null),
                                call.number("limit"),
                                call.within()))
                .thenApply(page -> reply(new JsonObject().put("items", Json.array(page.items())), page.next()));
    }

    private CompletableFuture<Reply> count(Call call) {
        Optional<String> filter = call.text("filter").map(text -> MqttText.string("filter", text));
        return checked(call, delayed.count(call.tenant(), filter, call.within()))
                .thenApply(count -> Reply.json(
                        new JsonObject().put("messages", count.messages()).put("complete", count.isWhole())));
    }

    private static Reply reply(JsonObject json, @Nullable String next) {
        if (next != null) {
            json.put("next", next);
        }
        return Reply.json(json);
    }

    /** Blames the cursor or the filter, whichever the call has and the message names. */
    private static <T> CompletableFuture<T> checked(Call call, CompletableFuture<T> asked) {
        return Refused.as(asked, wrong -> {
            String why = String.valueOf(wrong.getMessage());
            boolean isCursor = call.text("cursor").isPresent() && why.contains("cursor");
            return isCursor ? Cursors.wrong() : new ProblemException(Problem.invalid("filter", why));
        });
    }

    private CompletableFuture<Reply> discardMatching(Call call) {
        String filter = MqttText.string("filter", call.parameters().getString("filter"));
        return checked(
                        call,
                        delayed.discardMatching(
                                call.tenant(),
                                filter,
                                call.text("cursor").orElse(null),
                                call.number("limit"),
                                call.within()))
                .thenApply(done -> reply(new JsonObject().put("messages", done.messages()), done.next()));
    }

    private CompletableFuture<Reply> discard(Call call) {
        return delayed.discard(call.tenant(), call.parameters().getString("id"), call.within())
                .thenApply(wasThere -> {
                    if (!wasThere) {
                        throw new ProblemException(Problem.notFound("no message of that id waits"));
                    }
                    return Reply.done();
                });
    }
}
