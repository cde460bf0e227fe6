package io.godwit.api;

import io.godwit.api.port.Page;
import io.godwit.api.port.message.DelayedAdmin;
import io.godwit.plugin.topic.TopicFilter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** Messages that wait, in memory. Thread-safe. */
final class FakeDelayed implements DelayedAdmin {
    final List<DelayedView> waiting = new CopyOnWriteArrayList<>();

    @Override
    public CompletableFuture<Page<DelayedView, String>> delayed(
            String tenant, Optional<String> filter, String cursor, int limit, Duration within) {
        Optional<TopicFilter> parsed = filter.flatMap(TopicFilter::parse);
        if (filter.isPresent() && parsed.isEmpty()) {
            return CompletableFuture.failedFuture(new IllegalArgumentException("is no topic filter"));
        }
        if (cursor != null && !cursor.matches("at\\d+")) {
            return CompletableFuture.failedFuture(new IllegalArgumentException("no cursor of sessions"));
        }
        int from = cursor == null ? 0 : Integer.parseInt(cursor.substring(2));
        int to = Math.min(waiting.size(), from + limit);
        List<DelayedView> page = waiting.subList(from, to).stream()
                .filter(each -> parsed.map(some -> some.matches(each.topic())).orElse(true))
                .toList();
        return CompletableFuture.completedFuture(new Page<>(page, to < waiting.size() ? "at" + to : null));
    }

    @Override
    public CompletableFuture<Count> count(String tenant, Optional<String> filter, Duration within) {
        return delayed(tenant, filter, null, MAX_LIMIT, within)
                .thenApply(page -> new Count(page.items().size(), true));
    }

    @Override
    public CompletableFuture<Boolean> discard(String tenant, String id, Duration within) {
        return CompletableFuture.completedFuture(
                waiting.removeIf(each -> each.id().equals(id)));
    }

    @Override
    public CompletableFuture<Discarded> discardMatching(
            String tenant, String filter, String cursor, int limit, Duration within) {
        return delayed(tenant, Optional.of(filter), cursor, limit, within).thenApply(page -> {
            waiting.removeAll(page.items());
            return new Discarded(page.items().size(), page.next());
        });
    }
}
