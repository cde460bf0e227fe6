package io.godwit.broker.watch.top;

import io.godwit.broker.watch.question.WatchEntry;
import io.godwit.mqtt.MqttServer;
import io.godwit.mqtt.client.SlowClient;
import io.godwit.mqtt.top.TrafficCount;
import io.godwit.mqtt.top.TrafficKey;
import io.godwit.mqtt.top.TrafficKind;
import io.godwit.plugin.client.TenantId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** The lists of this node. */
final class OwnTop implements NodeTop {
    private final MqttServer server;
    private final Executor merging;

    /** @param merging the executor that merges lists */
    OwnTop(MqttServer server, Executor merging) {
        this.server = server;
        this.merging = merging;
    }

    @Override
    public CompletableFuture<List<TopItem>> top(TopKind.Question question, Duration within) {
        CompletableFuture<List<TopItem>> found = switch (question.kind()) {
            case SLOW_SUBSCRIBERS -> slowest(question, within);
            case CLIENTS_BY_MESSAGES -> traffic(TrafficKind.CLIENTS_BY_MESSAGES, question);
            case CLIENTS_BY_BYTES -> traffic(TrafficKind.CLIENTS_BY_BYTES, question);
            case TOPICS -> traffic(TrafficKind.TOPICS, question);
        };
        return found.orTimeout(within.toNanos(), TimeUnit.NANOSECONDS);
    }

    private CompletableFuture<List<TopItem>> slowest(TopKind.Question question, Duration within) {
        long untilNanos = System.nanoTime() + within.toNanos() / 4 * 3;
        TenantId tenant;
        try {
            tenant = question.tenant().map(TenantId::new).orElse(null);
        } catch (IllegalArgumentException e) {
            return CompletableFuture.completedFuture(List.of()); // no tenant can be called that
        }
        return server.clients()
                .slowest(tenant, question.limit(), untilNanos, merging)
                .thenApply(found -> found.stream().map(OwnTop::item).toList());
    }

    private static TopItem item(SlowClient client) {
        return new TopItem(
                client.key().tenant().value(),
                WatchEntry.cut(client.key().clientId().value()),
                List.of(
                        client.pace().averageMillis(),
                        client.pace().worstMillis(),
                        client.pace().pendingMillis()));
    }

    private CompletableFuture<List<TopItem>> traffic(TrafficKind kind, TopKind.Question question) {
        Predicate<TrafficKey> wanted =
                key -> question.tenant().isEmpty() || question.tenant().get().equals(key.tenant());
        return server.traffic(kind, wanted, question.limit(), merging)
                .thenApply(found -> found.stream().map(OwnTop::item).toList());
    }

    private static TopItem item(TrafficCount count) {
        return new TopItem(
                count.key().tenant(),
                count.key().name(),
                List.of(
                        count.count(),
                        count.error(),
                        count.messagesIn(),
                        count.messagesOut(),
                        count.bytesIn(),
                        count.bytesOut()));
    }
}
