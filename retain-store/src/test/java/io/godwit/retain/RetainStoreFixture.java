package io.godwit.retain;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.client.RangeException;
import io.godwit.kv.testing.InMemoryRangeHost;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.retain.client.RetainClient;
import io.godwit.retain.topic.RetainKeys;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** A store of retained messages over three ranges in memory. */
abstract class RetainStoreFixture {
    static final TenantId TENANT = TenantId.DEFAULT;
    static final long NO_EXPIRY = -1;

    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final List<BrokerEvent> events = new ArrayList<>();
    final RetainStore store = new RetainStore(RetainConfig.DEFAULT, this::host, this::nowMillis, events::add, meters);
    final InMemoryRangeHost host = new InMemoryRangeHost(
            store.coprocessorFactory(), List.of(RetainKeys.key(TENANT, "g"), RetainKeys.key(TENANT, "p")));
    final RetainClient client = store.client();

    RetainStoreFixture() {
        store.start();
    }

    @AfterEach
    void close() {
        store.close();
        host.close();
    }

    InMemoryRangeHost host() {
        return host;
    }

    long nowMillis() {
        return host.nowMillis();
    }

    void set(String topic, String payload) {
        host.await(client.set(TENANT, message(topic, payload, NO_EXPIRY)));
    }

    Message message(String topic, String payload, long expirySeconds) {
        MessageProperties properties = expirySeconds == NO_EXPIRY
                ? MessageProperties.NONE
                : new MessageProperties(-1, expirySeconds, null, null, null, List.of());
        return new Message(topic, payload.getBytes(UTF_8), Qos.AT_LEAST_ONCE, true, host.nowMillis(), properties);
    }

    List<String> match(String filter) {
        return match(filter, 1000, 1_000_000);
    }

    List<String> match(String filter, int maxMessages, int maxBytes) {
        List<String> found = new ArrayList<>();
        @Nullable String cursor = null;
        do {
            RetainClient.Page page = host.await(client.match(TENANT, filter(filter), cursor, maxMessages, maxBytes));
            assertThat(page.messages()).hasSizeLessThanOrEqualTo(maxMessages);
            assertThat(page.cursor() != null && page.messages().isEmpty())
                    .as("a page without messages although more follow")
                    .isFalse();
            page.messages().forEach(message -> found.add(message.topic() + "=" + new String(message.payload(), UTF_8)));
            cursor = page.cursor();
        } while (cursor != null);
        return found;
    }

    double retained() {
        return meters.get("godwit.retain.messages").gauge().value();
    }

    static RangeException.Cause reason(CompletableFuture<?> failed) {
        assertThat(failed).isCompletedExceptionally();
        return failed.handle((value, failure) -> ((RangeException) failure).reason())
                .join();
    }

    static TopicFilter filter(String text) {
        return TopicFilter.parse(text).orElseThrow();
    }
}
