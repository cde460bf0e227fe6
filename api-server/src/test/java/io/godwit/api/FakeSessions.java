package io.godwit.api;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.Page;
import io.godwit.api.port.client.ClientReference;
import io.godwit.api.port.client.SessionAdmin;
import io.godwit.api.port.client.SessionView;
import io.godwit.api.port.client.SubscribeOnBehalf;
import io.godwit.api.port.client.SubscriptionAdmin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Stored sessions and subscriptions in memory; a test sets the values it needs. Thread-safe. */
final class FakeSessions implements SessionAdmin, SubscriptionAdmin, SubscribeOnBehalf {
    final SortedMap<ClientReference, SessionView> sessions = new ConcurrentSkipListMap<>();
    final Map<ClientReference, List<Subscription>> subscribed = new ConcurrentSkipListMap<>();
    /** Changes and requests made, as text. */
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
    public CompletableFuture<Optional<SessionView>> session(ClientReference key, Duration within) {
        return CompletableFuture.completedFuture(Optional.ofNullable(sessions.get(key)));
    }

    @Override
    public CompletableFuture<Boolean> delete(ClientReference key, Duration within) {
        calls.add("delete " + key.tenant() + " " + key.clientId());
        return CompletableFuture.completedFuture(sessions.remove(key) != null);
    }

    @Override
    public CompletableFuture<Optional<Purged>> purge(ClientReference key, Duration within) {
        calls.add("purge " + key.tenant() + " " + key.clientId());
        return CompletableFuture.completedFuture(Optional.ofNullable(sessions.get(key))
                .map(session -> new Purged(session.queuedMessages() - session.inFlight(), session.inFlight())));
    }

    @Override
    public CompletableFuture<ClusterAnswer<Optional<Page<Subscription, String>>>> subscriptions(
            ClientReference key, String after, int limit, Duration within) {
        List<Subscription> all = subscribed.get(key);
        if (all == null) {
            return CompletableFuture.completedFuture(new ClusterAnswer<>(Optional.empty(), missing));
        }
        List<Subscription> page = new ArrayList<>();
        for (Subscription each : all) {
            if (after == null || each.filter().compareTo(after) > 0) {
                page.add(each);
            }
        }
        boolean hasMore = page.size() > limit;
        List<Subscription> items = page.subList(0, Math.min(limit, page.size()));
        return CompletableFuture.completedFuture(new ClusterAnswer<>(
                Optional.of(
                        new Page<>(items, hasMore ? items.get(items.size() - 1).filter() : null)),
                missing));
    }

    @Override
    public CompletableFuture<ClusterAnswer<Receivers>> receivers(
            String tenant, String topic, int limit, Duration within) {
        if (topic.contains("#")) {
            return CompletableFuture.failedFuture(new IllegalArgumentException("a topic has no wildcard"));
        }
        return answered("topic " + tenant + " " + topic);
    }

    @Override
    public CompletableFuture<ClusterAnswer<Receivers>> subscribers(
            String tenant, String filter, int limit, Duration within) {
        return answered("filter " + tenant + " " + filter);
    }

    @Override
    public CompletableFuture<Page<GroupView, String>> groups(
            String tenant, Optional<String> group, Optional<String> filter, String after, int limit, Duration within) {
        List<GroupView> all = List.of(
                new GroupView("$queue/a", "", "a", GroupView.Sharing.QUEUE, 1, 0),
                new GroupView("$share/g/a/+", "g", "a/+", GroupView.Sharing.SHARED, 2, 3),
                new GroupView("$share/h/a/+", "h", "a/+", GroupView.Sharing.SHARED, 0, 1));
        List<GroupView> found = all.stream()
                .filter(each -> group.map(each.group()::equals).orElse(true))
                .filter(each -> filter.map(each.filter()::equals).orElse(true))
                .filter(each -> after == null || each.sharedFilter().compareTo(after) > 0)
                .toList();
        List<GroupView> page = found.subList(0, Math.min(limit, found.size()));
        return CompletableFuture.completedFuture(new Page<>(
                page, found.size() > limit ? page.get(page.size() - 1).sharedFilter() : null));
    }

    private CompletableFuture<ClusterAnswer<Receivers>> answered(String question) {
        calls.add(question);
        return CompletableFuture.completedFuture(new ClusterAnswer<>(
                new Receivers(List.of(new Receiver("c", "", true, 2, "$share/g/a/+")), 7), missing));
    }

    @Override
    public CompletableFuture<ClusterAnswer<Optional<List<Coded>>>> subscribe(
            ClientReference key, List<Wanted> wanted, int subscriptionId, Duration within) {
        calls.add("subscribe " + key.tenant() + " " + key.clientId() + " " + subscriptionId + " " + wanted);
        return coded(key, wanted.stream().map(Wanted::filter).toList(), 1);
    }

    @Override
    public CompletableFuture<ClusterAnswer<Optional<List<Coded>>>> unsubscribe(
            ClientReference key, List<String> filters, Duration within) {
        calls.add("unsubscribe " + key.tenant() + " " + key.clientId() + " " + filters);
        return coded(key, filters, 17);
    }

    private CompletableFuture<ClusterAnswer<Optional<List<Coded>>>> coded(
            ClientReference key, List<String> filters, int code) {
        if (filters.contains("#/#")) {
            return CompletableFuture.failedFuture(new IllegalArgumentException("no filter"));
        }
        return CompletableFuture.completedFuture(new ClusterAnswer<>(
                Optional.ofNullable(sessions.get(key))
                        .map(there -> filters.stream()
                                .map(each -> new Coded(each, code))
                                .toList()),
                missing));
    }
}
