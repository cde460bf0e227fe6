package io.godwit.broker.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet.Publish;
import io.godwit.testing.Await;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A subscription of a persistent session stands in two stores: the inbox has the truth, the dist store the route. The
 * broker is killed between the two commits of a SUBSCRIBE and an UNSUBSCRIBE, and of what was in flight all or nothing
 * reaches the disk.
 */
class InterruptedSubscriptionTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration SILENCE = Duration.ofMillis(100);
    private static final int UNSUBSCRIBED_NOTHING = 0x11;
    /** QoS 1, and retained messages not wanted: the inbox has nothing more to note down after the SUBACK. */
    private static final int NO_RETAINED = 0x21;

    private final InMemoryBroker broker;

    InterruptedSubscriptionTest() throws Exception {
        broker = new InMemoryBroker();
    }

    @AfterEach
    void close() throws Exception {
        broker.close();
    }

    @Test
    void whatWasAcknowledgedIsInForceBeforeItsClientIsBack() throws Exception {
        try (TestClient client = connected("s")) {
            assertThat(client.subscribe("t", 1)).isOne();
        }
        broker.killAndRestart(false);
        publish("m");
        try (TestClient client = connected("s")) {
            assertNext(client, "m");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSubscriptionWithoutItsRouteIsWholeOnceItsClientIsBack(boolean routeReachedTheDisk) throws Exception {
        try (TestClient client = connected("s")) {
            broker.holdCommitsOfDist();
            CompletableFuture<Object> subscribed = inBackground(() -> client.subscribe("t", 1));
            await(() -> broker.entriesInFlightOfDist() == 1); // so the inbox has it
            assertThat(subscribed).isNotDone();
            client.abort();
        }
        broker.killAndRestart(routeReachedTheDisk);
        try (TestClient client = connected("s")) {
            publish("m");
            assertNext(client, "m");
            assertThat(client.subscribe("t", 1)).isOne();
            publish("n");
            assertNext(client, "n");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSubscriptionThatTheInboxHasNotCommittedIsAllThereOrNotAtAll(boolean reachedTheDisk) throws Exception {
        try (TestClient client = connected("s")) {
            broker.holdCommitsOfInbox();
            CompletableFuture<Object> subscribed = inBackground(() -> client.subscribe("t", 1));
            await(() -> broker.entriesInFlightOfInbox() == 1);
            assertThat(subscribed).isNotDone();
            client.abort();
        }
        broker.killAndRestart(reachedTheDisk);
        try (TestClient client = connected("s")) {
            publish("m");
            assertNext(client, reachedTheDisk ? "m" : null);
        }
    }

    /** The route goes first, so what is left of an interrupted UNSUBSCRIBE is a subscription, never a route of none. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anUnsubscriptionThatHasOnlyRemovedTheRouteIsNone(boolean removalReachedTheDisk) throws Exception {
        try (TestClient client = connected("s")) {
            client.subscribe("t", 1);
            broker.holdCommitsOfDist();
            CompletableFuture<Object> unsubscribed = inBackground(() -> client.unsubscribe("t"));
            await(() -> broker.entriesInFlightOfDist() == 1);
            assertThat(unsubscribed).isNotDone();
            client.abort();
        }
        broker.killAndRestart(removalReachedTheDisk);
        try (TestClient client = connected("s")) {
            publish("m");
            assertNext(client, "m");
            assertThat(client.unsubscribe("t")).isZero();
            publish("n");
            assertNext(client, null);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anUnsubscriptionBetweenItsCommitsIsDoneOrNot(boolean reachedTheDisk) throws Exception {
        try (TestClient client = connected("s")) {
            client.subscribe("t", NO_RETAINED);
            broker.holdCommitsOfInbox();
            CompletableFuture<Object> unsubscribed = inBackground(() -> client.unsubscribe("t"));
            await(() -> broker.entriesInFlightOfInbox() == 1); // so the route is gone
            assertThat(unsubscribed).isNotDone();
            client.abort();
        }
        broker.killAndRestart(reachedTheDisk);
        try (TestClient client = connected("s")) {
            publish("m");
            assertNext(client, reachedTheDisk ? null : "m");
            assertThat(client.unsubscribe("t")).isEqualTo(reachedTheDisk ? UNSUBSCRIBED_NOTHING : 0);
        }
    }

    @Test
    void nothingIsDeliveredAfterAnAcknowledgedUnsubscription() throws Exception {
        try (TestClient client = connected("s")) {
            client.subscribe("t", 1);
            client.subscribe("kept", 1);
            assertThat(client.unsubscribe("t")).isZero();
        }
        broker.killAndRestart(false);
        publish("away");
        try (TestClient client = connected("s")) {
            publish("back");
            assertNext(client, null);
        }
    }

    private TestClient connected(String clientId) throws IOException {
        TestClient client = new TestClient(ClientConfig.of(broker.address(), clientId, 5));
        assertThat(client.connect().code()).isZero();
        return client;
    }

    private void publish(String payload) throws Exception {
        try (TestClient publisher =
                new TestClient(ClientConfig.of(broker.address(), "p", 5).withCleanSession())) {
            publisher.connect();
            publisher.publish("t", payload, 1).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    /** @param payload null for no message; none is on its way any more when its publish has been acknowledged */
    private static void assertNext(TestClient client, @Nullable String payload) throws InterruptedException {
        Publish message = client.next(payload == null ? SILENCE : PATIENCE);
        assertThat(message == null ? null : new String(message.payload(), UTF_8))
                .isEqualTo(payload);
    }

    private static CompletableFuture<Object> inBackground(Callable<Object> call) {
        CompletableFuture<Object> done = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                done.complete(call.call());
            } catch (Exception e) {
                done.completeExceptionally(e);
            }
        });
        thread.start();
        return done;
    }

    private static void await(Callable<Boolean> condition) throws Exception {
        Await.until("what the test waits for", PATIENCE, condition::call);
    }
}
