package io.godwit.api;

import io.godwit.api.port.NotAllowedException;
import io.godwit.api.port.Page;
import io.godwit.api.port.message.MessagePublisher;
import io.godwit.api.port.message.RetainedAdmin;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Takes published messages, and holds retained ones, in memory. Thread-safe. */
final class FakeMessages implements MessagePublisher, RetainedAdmin {
    record Published(String tenant, Outgoing message) {}

    final List<Published> published = new CopyOnWriteArrayList<>();
    /** By topic; only for the tenant default. */
    final SortedMap<String, Message> retained = new ConcurrentSkipListMap<>();

    volatile Outcome outcome = Outcome.DELIVERED;
    volatile RuntimeException refusal;

    /** A retained message of the tenant default. */
    void retain(String topic, byte[] payload) {
        MessageProperties properties = new MessageProperties(-1, 60, null, null, null, List.of());
        retained.put(topic, new Message(topic, payload, Qos.AT_LEAST_ONCE, true, 1_790_000_000_000L, properties));
    }

    @Override
    public CompletableFuture<Outcome> publish(String tenant, Outgoing message) {
        if (message.topic().startsWith("$SYS/")) {
            return CompletableFuture.failedFuture(new NotAllowedException("the broker alone publishes below $SYS"));
        }
        if (message.topic().length() > 1_000) {
            return CompletableFuture.failedFuture(new IllegalArgumentException("is over maxTopicBytes"));
        }
        if (refusal != null) {
            return CompletableFuture.failedFuture(refusal);
        }
        published.add(new Published(tenant, message));
        return CompletableFuture.completedFuture(outcome);
    }

    @Override
    public CompletableFuture<Page<RetainedView, String>> retained(
            String tenant, String filter, String cursor, int limit, Duration within) {
        if (filter.equals("a/#/b")) {
            return CompletableFuture.failedFuture(new IllegalArgumentException("is no topic filter"));
        }
        if (cursor != null && !retained.containsKey(cursor)) {
            return CompletableFuture.failedFuture(new WrongCursorException("no cursor"));
        }
        List<RetainedView> found = new ArrayList<>();
        retained.values().stream()
                .filter(message -> cursor == null || message.topic().compareTo(cursor) > 0)
                .limit(limit)
                .forEach(message -> found.add(RetainedView.of(message)));
        boolean isLast = found.isEmpty() || found.get(found.size() - 1).topic().equals(retained.lastKey());
        return CompletableFuture.completedFuture(
                new Page<>(found, isLast ? null : found.get(found.size() - 1).topic()));
    }

    @Override
    public CompletableFuture<Optional<Message>> message(String tenant, String topic, Duration within) {
        return CompletableFuture.completedFuture(
                tenant.equals("default") ? Optional.ofNullable(retained.get(topic)) : Optional.empty());
    }

    @Override
    public CompletableFuture<Boolean> clear(String tenant, String topic, Duration within) {
        return CompletableFuture.completedFuture(tenant.equals("default") && retained.remove(topic) != null);
    }

    @Override
    public CompletableFuture<Cleared> clearMatching(
            String tenant, String filter, String cursor, int limit, Duration within) {
        return retained(tenant, filter, cursor, limit, within).thenApply(page -> {
            if (page.next() == null) {
                page.items().forEach(each -> retained.remove(each.topic()));
            } else {
                page.items().stream()
                        .filter(each -> !each.topic().equals(page.next()))
                        .forEach(each -> retained.remove(each.topic()));
            }
            return new Cleared(page.items().size(), page.next());
        });
    }
}
