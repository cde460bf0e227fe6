package io.godwit.api.route.watch;

import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.api.port.watch.WatchSource;
import io.godwit.api.port.watch.WatchSource.EventFilter;
import io.godwit.api.route.Call;
import io.godwit.api.route.Reply;
import io.godwit.api.route.Routes;
import io.godwit.api.stream.StreamReply;
import io.vertx.core.json.JsonArray;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The events of all nodes, as they happen. */
public final class EventRoutes {
    private final WatchSource watches;

    private EventRoutes(WatchSource watches) {
        this.watches = watches;
    }

    public static void add(Routes routes, WatchSource watches) {
        routes.add("streamEvents", new EventRoutes(watches)::events);
    }

    private CompletableFuture<Reply> events(Call call) {
        EventFilter filter =
                new EventFilter(texts(call, "type"), call.text("clientId"), call.tenantFilter(), call.text("node"));
        Duration longest = Duration.ofSeconds(call.number("seconds"));
        return CompletableFuture.completedFuture(Reply.stream(new StreamReply(
                () -> watches.events(filter, longest)
                        .orElseThrow(() -> new ProblemException(Problem.notFound("there is no such node"))),
                longest)));
    }

    private static Set<String> texts(Call call, String name) {
        Set<String> texts = new HashSet<>();
        if (call.parameters().getValue(name) instanceof JsonArray list) {
            list.forEach(each -> texts.add(String.valueOf(each)));
        }
        return texts;
    }
}
