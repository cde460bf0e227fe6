package io.godwit.broker.watch.top;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The lists of one node. Calls return at once. Futures complete on any thread, and fail when the time is over. */
@FunctionalInterface
interface NodeTop {
    CompletableFuture<List<TopItem>> top(TopKind.Question question, Duration within);
}
