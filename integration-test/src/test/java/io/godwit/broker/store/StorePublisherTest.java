package io.godwit.broker.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.DistClient;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.Publisher;
import io.godwit.kv.client.Resend;
import io.godwit.kv.testing.InMemoryRangeHost;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.retain.RetainConfig;
import io.godwit.retain.RetainStore;
import io.godwit.retain.client.RetainClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the inbox store publishes until it is done, with the retain store behind it. */
class StorePublisherTest {
    private static final ClientInfo DEVICE =
            new ClientInfo(TenantId.DEFAULT, new ClientId("device"), null, "127.0.0.1:1", 5);
    private static final String ORIGIN = "device:1:will";

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final RetainStore store =
            new RetainStore(RetainConfig.DEFAULT, this::host, this::nowMillis, EventListener.NONE, meters);
    private final InMemoryRangeHost host = new InMemoryRangeHost(store.coprocessorFactory());
    private final List<String> distributed = new ArrayList<>();
    private final List<Long> finished = new ArrayList<>();
    private DistOutcome outcome = DistOutcome.DELIVERED;
    private final StorePublisher publisher = publisher();

    @BeforeEach
    void start() {
        store.start();
    }

    @AfterEach
    void close() {
        store.close();
        host.close();
    }

    /** The will is retained, but one receiver can not be served; the client is back before it is tried again. */
    @Test
    void aWillThatIsTriedAgainDoesNotReplaceWhatItsClientHasRetainedSince() {
        long owedSince = host.nowMillis();
        outcome = DistOutcome.FAILED;
        assertThat(publish("offline", 1, owedSince)).isFalse();
        assertThat(retained()).containsExactly("status=offline");

        set("online");
        host.advanceMillis(500);
        assertThat(publish("offline", 1, owedSince)).isFalse();
        assertThat(retained()).containsExactly("status=online");
        outcome = DistOutcome.DELIVERED;
        host.advanceMillis(1_000);
        assertThat(publish("offline", 1, owedSince)).isTrue();

        assertThat(retained()).containsExactly("status=online");
        assertThat(distributed).containsExactly("offline", "offline", "offline");
    }

    /** The first attempt does not reach the retain store at all. */
    @Test
    void aWillThatComesLateDoesNotReplaceWhatItsClientHasRetainedSince() {
        long owedSince = host.nowMillis();
        host.holdCommits();
        CompletableFuture<Boolean> first = start("offline", 1, owedSince);
        host.runUntilIdle();
        host.crashAndRestart();
        host.runUntilIdle();
        assertThat(first).isCompletedWithValue(false);
        assertThat(retained()).isEmpty();

        host.advanceMillis(100);
        set("online");
        host.advanceMillis(400);
        assertThat(publish("offline", 1, owedSince)).isTrue();
        assertThat(retained()).containsExactly("status=online");
        assertThat(distributed).containsExactly("offline");
    }

    @Test
    void theNextWillIsRetained() {
        assertThat(publish("offline", 1, host.nowMillis())).isTrue();
        set("online");
        host.advanceMillis(10);
        assertThat(publish("offline", 2, host.nowMillis())).isTrue();
        assertThat(retained()).containsExactly("status=offline");
    }

    @Test
    void whatIsOnRecordAsDistributedIsForgotten() {
        publish("offline", 1, host.nowMillis());
        assertThat(meters.get("godwit.retain.tokens").gauge().value()).isEqualTo(1);
        publisher.finished(TenantId.DEFAULT, message("offline"), ORIGIN, 1);
        host.runUntilIdle();
        assertThat(meters.get("godwit.retain.tokens").gauge().value()).isZero();
        assertThat(finished).containsExactly(1L);
    }

    private InMemoryRangeHost host() {
        return host;
    }

    private long nowMillis() {
        return host.nowMillis();
    }

    private CompletableFuture<Boolean> start(String payload, long number, long owedSinceMillis) {
        return publisher.publish(
                DEVICE, message(payload), ORIGIN, number, number, owedSinceMillis, null, Resend.ALWAYS);
    }

    private boolean publish(String payload, long number, long owedSinceMillis) {
        return host.await(start(payload, number, owedSinceMillis));
    }

    private void set(String payload) {
        host.await(store.client().set(TenantId.DEFAULT, message(payload)));
    }

    private Message message(String payload) {
        return new Message(
                "status", payload.getBytes(UTF_8), Qos.AT_LEAST_ONCE, true, host.nowMillis(), MessageProperties.NONE);
    }

    private List<String> retained() {
        RetainClient.Page page =
                host.await(store.client().match(TenantId.DEFAULT, new TopicFilter(null, "#"), null, 10, 1_000));
        return page.messages().stream()
                .map(message -> message.topic() + "=" + new String(message.payload(), UTF_8))
                .toList();
    }

    private StorePublisher publisher() {
        Publisher dist = (message, token) -> {
            distributed.add(new String(message.payload(), UTF_8));
            return CompletableFuture.completedFuture(outcome);
        };
        Supplier<DistClient> client = () -> (DistClient) Proxy.newProxyInstance(
                DistClient.class.getClassLoader(), new Class<?>[] {DistClient.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("finished")) {
                        finished.add((Long) arguments[1]);
                        return null;
                    }
                    assertThat(method.getName()).isEqualTo("publisher");
                    return dist;
                });
        DelayedMessages delayed = new DelayedMessages(
                () -> {
                    throw new AssertionError("nothing is for later");
                },
                new DelayedRoom(() -> 0, tenant -> 0, 0));
        return new StorePublisher(client, store::client, delayed, false);
    }
}
