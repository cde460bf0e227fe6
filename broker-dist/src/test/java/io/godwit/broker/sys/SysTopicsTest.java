package io.godwit.broker.sys;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.Publisher;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.retain.client.RetainClient;
import io.godwit.testing.Await;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SysTopicsTest {
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private long nowNanos = 1_000;
    private final SysValues values = new SysValues(meters, "Godwit 1", () -> nowNanos);

    @Test
    void theValuesAreThoseOfTheMeters() {
        meters.counter("godwit.mqtt.connects").increment(5);
        meters.counter("godwit.mqtt.disconnects").increment(2);
        meters.counter("godwit.mqtt.packets.in").increment(9);
        meters.counter("godwit.mqtt.messages.dropped", "reason", "a").increment();
        meters.counter("godwit.mqtt.messages.dropped", "reason", "b").increment();
        meters.counter("godwit.inbox.dropped", "reason", "b").increment();
        meters.counter("godwit.inbox.sessions.ended", "cause", "expired").increment(3);
        meters.counter("godwit.inbox.sessions.ended", "cause", "given_up").increment();
        Gauge.builder("godwit.dist.subscriptions", () -> 7).register(meters);
        Gauge.builder("godwit.inbox.sessions.detached", () -> 11).register(meters);
        Gauge.builder("godwit.inbox.messages", () -> 20).register(meters);
        Gauge.builder("godwit.inbox.payload.bytes", () -> 3_000).register(meters);
        Gauge.builder("godwit.retain.messages", () -> 2).register(meters);
        Gauge.builder("godwit.retain.payload.bytes", () -> 500).register(meters);
        meters.counter("godwit.mqtt.received.payload.bytes").increment(70);
        meters.counter("godwit.mqtt.sent.payload.bytes").increment(80);
        FunctionCounter.builder("godwit.inbox.copies.stored", 40, Integer::doubleValue)
                .register(meters);
        FunctionCounter.builder("godwit.inbox.copies.cancelled", 60, Integer::doubleValue)
                .register(meters);
        nowNanos += TimeUnit.SECONDS.toNanos(61);

        assertThat(values.next())
                .containsEntry("version", "Godwit 1")
                .containsEntry("uptime", "61 seconds")
                .containsEntry("clients/connected", "3")
                .containsEntry("clients/maximum", "3")
                .containsEntry("clients/expired", "3")
                .containsEntry("clients/disconnected", "11")
                .containsEntry("clients/inactive", "11")
                .containsEntry("clients/total", "14")
                .containsEntry("messages/received", "9")
                .containsEntry("publish/messages/dropped", "3")
                .containsEntry("subscriptions/count", "7")
                .containsEntry("publish/bytes/received", "70")
                .containsEntry("publish/bytes/sent", "80")
                .containsEntry("messages/stored", "22")
                .containsEntry("store/messages/count", "22")
                .containsEntry("store/messages/bytes", "3500")
                .containsEntry("inbox/copies/stored", "40")
                .containsEntry("inbox/copies/cancelled", "60")
                .containsEntry("retained messages/count", "2");
        meters.counter("godwit.mqtt.disconnects").increment(2);
        assertThat(values.next()).containsEntry("clients/connected", "1").containsEntry("clients/maximum", "3");
    }

    @Test
    void aSteadyRateIsTheLoadAndFadesWhenItEnds() {
        for (int i = 0; i < 600; i++) {
            meters.counter("godwit.mqtt.publishes.in").increment(10);
            nowNanos += TimeUnit.SECONDS.toNanos(10);
            values.next();
        }
        assertThat(load(1)).isBetween(59.9, 60.1);
        assertThat(load(15)).isBetween(59.0, 60.1);
        for (int i = 0; i < 6; i++) {
            nowNanos += TimeUnit.SECONDS.toNanos(10);
            values.next();
        }
        assertThat(load(1)).isBetween(21.0, 23.0);
        assertThat(load(15)).isBetween(55.0, 57.0);
    }

    private double load(int minutes) {
        return Double.parseDouble(values.next().getOrDefault("load/publish/received/" + minutes + "min", ""));
    }

    @Test
    void whatHasChangedIsPublishedAndRetained() {
        Map<String, Message> retained = new LinkedHashMap<>();
        Map<String, String> published = new LinkedHashMap<>();
        Publisher publisher = (message, token) -> {
            published.put(message.topic(), text(message));
            return CompletableFuture.completedFuture(DistOutcome.NO_MATCH);
        };
        try (SysTopics topics =
                new SysTopics(client -> publisher, new Retained(retained), values, Duration.ofSeconds(10), () -> 5)) {
            topics.publish();
            assertThat(published).containsEntry("$SYS/broker/version", "Godwit 1");
            assertThat(retained.keySet()).isEqualTo(published.keySet());
            retained.forEach((topic, message) -> assertThat(text(message)).isEqualTo(published.get(topic)));

            published.clear();
            nowNanos += TimeUnit.SECONDS.toNanos(10);
            topics.publish();
            assertThat(published)
                    .containsEntry("$SYS/broker/uptime", "10 seconds")
                    .doesNotContainKey("$SYS/broker/version");
        }
    }

    @Test
    void aTenantGetsItsOwnValuesUntilTheyEnd() {
        TenantId birds = new TenantId("birds");
        NodeRetained own = new NodeRetained(new Retained(new LinkedHashMap<>()), true);
        List<String> published = new ArrayList<>();
        Map<TenantId, Map<String, String>> tenants = new HashMap<>();
        tenants.put(birds, Map.of("clients/connected", "3"));
        Function<ClientInfo, Publisher> publishers = client -> (message, token) -> {
            published.add(client.tenant().value() + " " + message.topic() + " " + text(message));
            return CompletableFuture.completedFuture(DistOutcome.NO_MATCH);
        };
        try (SysTopics topics = new SysTopics(
                publishers,
                new Retained(new LinkedHashMap<>()),
                own,
                values,
                () -> tenants,
                Duration.ofSeconds(10),
                () -> 5)) {
            topics.publish();
            assertThat(published)
                    .contains("birds $SYS/broker/clients/connected 3", "default $SYS/broker/version Godwit 1");
            assertThat(published).filteredOn(each -> each.startsWith("birds")).hasSize(1);
            assertThat(retained(own, birds)).containsExactly("$SYS/broker/clients/connected");

            published.clear();
            topics.publish();
            assertThat(published)
                    .as("an unchanged value is not published again")
                    .noneMatch(each -> each.startsWith("birds"));
            tenants.clear();
            topics.publish();
            assertThat(retained(own, birds)).isEmpty();
            tenants.put(birds, Map.of("clients/connected", "3"));
            topics.publish();
            assertThat(published)
                    .as("a value is published again after a clear")
                    .contains("birds $SYS/broker/clients/connected 3");
        }
    }

    private static List<String> retained(NodeRetained own, TenantId tenant) {
        return own.match(tenant, new TopicFilter(null, "$SYS/broker/#"), null, 100, 1 << 20).join().messages().stream()
                .map(Message::topic)
                .toList();
    }

    /** A message that a client has published there while it was allowed belongs to the client. */
    @Test
    void whenThereAreNoneWhatWasPublishedIsClearedAndNothingElse() {
        Map<String, Message> retained = new ConcurrentHashMap<>();
        Retained store = new Retained(retained);
        Publisher publisher = (message, token) -> CompletableFuture.completedFuture(DistOutcome.NO_MATCH);
        try (SysTopics topics = new SysTopics(client -> publisher, store, values, Duration.ofSeconds(10), () -> 5)) {
            topics.publish();
        }
        assertThat(retained).hasSizeGreaterThan(10);
        String[] ofClients = {"$SYS/broker/mine", "$SYS/broker/version"};
        for (String topic : ofClients) {
            store.set(
                    TenantId.DEFAULT,
                    new Message(topic, new byte[] {1}, Qos.AT_LEAST_ONCE, true, 5, MessageProperties.NONE));
        }
        try (SysTopics topics = new SysTopics(client -> publisher, store, values, Duration.ZERO, () -> 5)) {
            topics.clear();
            assertThat(retained).containsOnlyKeys(ofClients);
        }
    }

    @Test
    void anErrorEndsOneRoundOnly() {
        AtomicInteger rounds = new AtomicInteger();
        SysTopics.OfTenants faulty = () -> {
            if (rounds.incrementAndGet() == 1) {
                throw new StackOverflowError();
            }
            return Map.of();
        };
        Publisher publisher = (message, token) -> CompletableFuture.completedFuture(DistOutcome.NO_MATCH);
        Retained store = new Retained(new ConcurrentHashMap<>());
        try (SysTopics topics =
                new SysTopics(client -> publisher, store, null, values, faulty, Duration.ofMillis(10), () -> 5)) {
            topics.start();
            Await.until("the next round", () -> rounds.get() > 1);
        }
    }

    private static String text(Message message) {
        assertThat(message.retain()).isTrue();
        return new String(message.payload(), StandardCharsets.UTF_8);
    }

    private record Retained(Map<String, Message> messages) implements RetainClient {
        @Override
        public CompletableFuture<Void> set(TenantId tenant, Message message) {
            if (message.payload().length == 0) {
                messages.remove(message.topic());
            } else {
                messages.put(message.topic(), message);
            }
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void finished(TenantId tenant, String topic, String origin, long number) {}

        @Override
        public CompletableFuture<Void> setRecorded(
                TenantId tenant, Message message, String origin, long number, long decidedAtMillis) {
            throw new AssertionError("nothing is on record");
        }

        @Override
        public CompletableFuture<Page> match(
                TenantId tenant, TopicFilter filter, @Nullable String cursor, int maxMessages, int maxBytes) {
            assertThat(filter.text()).isEqualTo("$SYS/broker/#");
            return CompletableFuture.completedFuture(new Page(List.copyOf(messages.values()), null));
        }

        @Override
        public String cursorBehind(TenantId tenant, String topic) {
            throw new AssertionError("match");
        }
    }
}
