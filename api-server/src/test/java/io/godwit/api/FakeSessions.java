package io.godwit.api;

import io.godwit.api.port.Answer;
import io.godwit.api.port.ClientKey;
import io.godwit.api.port.Page;
import io.godwit.api.port.SessionAdmin;
import io.godwit.api.port.SessionView;
import io.godwit.api.port.SubscriptionAdmin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Stored sessions and subscriptions in memory, of which a test sets what it is about. Thread-safe. */
final class FakeSessions implements SessionAdmin, SubscriptionAdmin {
    final SortedMap<ClientKey, SessionView> sessions = new ConcurrentSkipListMap<>();
    final Map<ClientKey, List<Subscription>> subscribed = new ConcurrentSkipListMap<>();
    /** What was changed, and what was asked for, in words. */
    final List<String> calls = new CopyOnWriteArrayList<>();

    volatile List<String> missing = List.of();
    /** Finds nothing in time, the next time. */
    volatile boolean isSlow;

    void add(String tenant, String id, boolean connected, long queued) {
        SessionView view = new SessionView(
                tenant, id, "ann", 5, FakeNode.ID, connected, 3_600, connected ? 0 : 5, -1, true, queued, 10, 1, 2);
        sessions.put(view.key(), view);
    }

    @Override
    public CompletableFuture<SessionPage> sessions(Filter filter, String cursor, int limit, Duration within) {
        int from = 0;
        if (cursor != null) {
            if (!cursor.matches("at\\d+")) {
                return CompletableFuture.failedFuture(new IllegalArgumentException("no cursor of sessions"));
            }
            from = Integer.parseInt(cursor.substring(2));
        }
        if (isSlow) {
            isSlow = false;
            return CompletableFuture.completedFuture(new SessionPage(List.of(), "at" + from));
        }
        List<SessionView> all = sessions.values().stream()
                .filter(each -> filter.tenant().map(each.tenant()::equals).orElse(true))
                .filter(each -> filter.clientId()
                        .map(pattern -> pattern.matches(each.clientId()))
                        .orElse(true))
                .filter(each -> !(filter.onlyDisconnected() && each.connected()))
                .filter(each -> each.queuedMessages() >= filter.leastQueued())
                .toList();
        int to = Math.min(all.size(), from + limit);
        return CompletableFuture.completedFuture(
                new SessionPage(all.subList(from, to), to < all.size() ? "at" + to : null));
    }

    @Override
    public CompletableFuture<Optional<SessionView>> session(ClientKey key, Duration within) {
        return CompletableFuture.completedFuture(Optional.ofNullable(sessions.get(key)));
    }

    @Override
    public CompletableFuture<Boolean> delete(ClientKey key, Duration within) {
        calls.add("delete " + key.tenant() + " " + key.clientId());
        return CompletableFuture.completedFuture(sessions.remove(key) != null);
    }

    @Override
    public CompletableFuture<Optional<Purged>> purge(ClientKey key, Duration within) {
        calls.add("purge " + key.tenant() + " " + key.clientId());
        return CompletableFuture.completedFuture(Optional.ofNullable(sessions.get(key))
                .map(session -> new Purged(session.queuedMessages() - session.inFlight(), session.inFlight())));
    }

    @Override
    public CompletableFuture<Answer<Optional<Page<Subscription, String>>>> subscriptions(
            ClientKey key, String after, int limit, Duration within) {
        List<Subscription> all = subscribed.get(key);
        if (all == null) {
            return CompletableFuture.completedFuture(new Answer<>(Optional.empty(), missing));
        }
        List<Subscription> page = new ArrayList<>();
        for (Subscription each : all) {
            if (after == null || each.filter().compareTo(after) > 0) {
                page.add(each);
            }
        }
        boolean hasMore = page.size() > limit;
        List<Subscription> items = page.subList(0, Math.min(limit, page.size()));
        return CompletableFuture.completedFuture(new Answer<>(
                Optional.of(
                        new Page<>(items, hasMore ? items.get(items.size() - 1).filter() : null)),
                missing));
    }

    @Override
    public CompletableFuture<Answer<Receivers>> receivers(String tenant, String topic, int limit, Duration within) {
        if (topic.contains("#")) {
            return CompletableFuture.failedFuture(new IllegalArgumentException("a topic has no wildcard"));
        }
        return answered("topic " + tenant + " " + topic);
    }

    @Override
    public CompletableFuture<Answer<Receivers>> subscribers(String tenant, String filter, int limit, Duration within) {
        return answered("filter " + tenant + " " + filter);
    }

    private CompletableFuture<Answer<Receivers>> answered(String question) {
        calls.add(question);
        return CompletableFuture.completedFuture(
                new Answer<>(new Receivers(List.of(new Receiver("c", "", true, 2, "$share/g/a/+")), 7), missing));
    }
}
