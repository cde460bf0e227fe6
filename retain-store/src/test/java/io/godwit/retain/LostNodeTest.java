package io.godwit.retain;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.client.RangeClient;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.testing.InMemoryRangeHost;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.retain.client.RetainClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The node that leads a range is lost while it handles a retained message. */
class LostNodeTest {
    private static final TenantId TENANT = TenantId.DEFAULT;

    private static final List<String> WRITES = List.of("mutate", "relieve", "mutateAgain", "relieveAgain");

    private final RetainStore store = new RetainStore(
            RetainConfig.DEFAULT, this::ranges, this::nowMillis, EventListener.NONE, new SimpleMeterRegistry());
    private final InMemoryRangeHost host = new InMemoryRangeHost(store.coprocessorFactory(), List.of());
    private final RetainClient client = store.client();
    /** The answer to the next write; null uses the store's answer. */
    private @Nullable CompletableFuture<byte[]> lost;
    /** The methods of the store's client that were called. */
    private final List<String> asked = new ArrayList<>();

    /** Whether the lost node had applied the write. */
    private boolean isApplied;

    LostNodeTest() {
        store.start();
    }

    @AfterEach
    void close() {
        store.close();
        host.close();
    }

    private long nowMillis() {
        return host.nowMillis();
    }

    private RangeClient ranges() {
        return (RangeClient) Proxy.newProxyInstance(
                RangeClient.class.getClassLoader(), new Class<?>[] {RangeClient.class}, (proxy, method, arguments) -> {
                    CompletableFuture<byte[]> answer = lost;
                    asked.add(method.getName());
                    boolean isWrite = WRITES.contains(method.getName());
                    if (answer == null || !isWrite) {
                        return method.invoke(host, arguments);
                    }
                    lost = null;
                    if (isApplied) {
                        method.invoke(host, arguments);
                    }
                    return answer;
                });
    }

    private CompletableFuture<Void> setAndLose(String payload, boolean applied) {
        lost = new CompletableFuture<>();
        isApplied = applied;
        CompletableFuture<byte[]> answer = Objects.requireNonNull(lost);
        CompletableFuture<Void> set = client.set(TENANT, message(payload));
        unanswered = answer;
        return set;
    }

    private CompletableFuture<byte[]> unanswered = new CompletableFuture<>();

    private void lose() {
        unanswered.completeExceptionally(
                new RangeException(RangeException.Cause.LOST, "connection lost before it was answered"));
    }

    private Message message(String payload) {
        return message(payload, Qos.AT_LEAST_ONCE);
    }

    private Message message(String payload, Qos qos) {
        return new Message("t", payload.getBytes(UTF_8), qos, true, nowMillis(), MessageProperties.NONE);
    }

    private List<String> retained() {
        return host
                .await(client.match(TENANT, TopicFilter.parse("#").orElseThrow(), null, 10, 1_000))
                .messages()
                .stream()
                .map(message -> new String(message.payload(), UTF_8))
                .toList();
    }

    @Test
    void whatItHadNotBegunIsSet() {
        CompletableFuture<Void> set = setAndLose("1", false);
        lose();
        host.await(set);
        assertThat(retained()).containsExactly("1");
    }

    @Test
    void whatItHadSetStaysAsItIs() {
        CompletableFuture<Void> set = setAndLose("1", true);
        host.runUntilIdle();
        lose();
        host.await(set);
        assertThat(retained()).containsExactly("1");
    }

    @Test
    void whatOthersHaveSetSinceIsNotReplaced() {
        CompletableFuture<Void> set = setAndLose("1", false);
        host.advanceMillis(10);
        host.await(client.set(TENANT, message("2")));
        host.advanceMillis(10);
        lose();
        host.runUntilIdle();
        assertThat(set)
                .as("the message was replaced, so it is not acknowledged")
                .isCompletedExceptionally();
        assertThat(retained()).containsExactly("2");
    }

    /** The message is set before later ones of its publisher, and the publisher does not notice the loss. */
    @Test
    void ofQos1ItIsSetAgainInItsPlace() {
        host.await(client.set(TENANT, message("1")));
        host.await(client.set(TENANT, message("")));
        host.await(client.setRecorded(TENANT, message("2"), "origin", 1, 0));
        assertThat(asked).containsExactly("mutateAgain", "relieveAgain", "relieveAgain");
    }

    @Test
    void ofQos0ItIsNotGivenTwice() {
        host.await(client.set(TENANT, message("1", Qos.AT_MOST_ONCE)));
        host.await(client.set(TENANT, message("", Qos.AT_MOST_ONCE)));
        assertThat(asked).containsExactly("mutate", "relieve");
    }
}
