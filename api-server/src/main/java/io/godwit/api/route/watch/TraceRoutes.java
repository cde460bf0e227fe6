package io.godwit.api.route.watch;

import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.api.port.watch.WatchSource;
import io.godwit.api.port.watch.WatchSource.TraceFilter;
import io.godwit.api.route.Call;
import io.godwit.api.route.Reply;
import io.godwit.api.route.Routes;
import io.godwit.api.stream.StreamReply;
import io.godwit.plugin.topic.TopicFilter;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Traces of clients and messages, on all nodes. */
public final class TraceRoutes {
    private final WatchSource watches;

    private TraceRoutes(WatchSource watches) {
        this.watches = watches;
    }

    public static void add(Routes routes, WatchSource watches) {
        routes.add("streamTrace", new TraceRoutes(watches)::trace);
    }

    private CompletableFuture<Reply> trace(Call call) {
        Optional<String> topicFilter = call.text("topic");
        topicFilter.ifPresent(TraceRoutes::check);
        TraceFilter filter =
                new TraceFilter(call.text("clientId"), topicFilter, call.text("address"), call.tenantFilter());
        if (filter.clientId().isEmpty()
                && filter.topicFilter().isEmpty()
                && filter.address().isEmpty()) {
            throw new ProblemException(
                    Problem.invalid("clientId", "is missing; a trace follows a clientId, a topic or an address"));
        }
        Duration longest = Duration.ofSeconds(call.number("seconds"));
        return CompletableFuture.completedFuture(
                Reply.stream(new StreamReply(() -> watches.trace(filter, longest), longest)));
    }

    private static void check(String text) {
        TopicFilter filter = TopicFilter.parse(text)
                .orElseThrow(() -> new ProblemException(Problem.invalid("topic", "is no topic and no filter")));
        if (filter.isShared() || filter.isExclusive()) {
            throw new ProblemException(Problem.invalid("topic", "must not be shared or exclusive"));
        }
    }
}
