package io.godwit.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Packet.Ack;
import io.godwit.it.wire.Properties;
import io.godwit.testing.Await;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A large retained set is sent to new subscribers while it changes, while their connections break, and over a kill of
 * the broker.
 */
class RetainedReplayTest {
    private static final int TOPICS = 4000;
    private static final long PATIENCE_SECONDS = 30;

    @TempDir
    private Path directory;

    private final Random random = new Random(4);
    /** Of the persistent client, so that its replay goes as fast as the test lets it. */
    private final Queue<Runnable> acknowledgements = new ConcurrentLinkedQueue<>();

    private final Map<String, String> newest = new HashMap<>();
    private @Nullable CompletableFuture<@Nullable Ack> last;

    /** What a subscriber has last of each topic, and how many messages it was sent. */
    private static final class View {
        final Map<String, String> last = new ConcurrentHashMap<>();
        final AtomicInteger received = new AtomicInteger();

        void see(Packet.Publish publish) {
            last.put(publish.topic(), new String(publish.payload(), StandardCharsets.UTF_8));
            received.incrementAndGet();
        }
    }

    @Test
    @Tag("full")
    void everySubscriberEndsWithTheNewestOfEachTopic() throws Exception {
        everySubscriberEndsWithTheNewestOfEachTopic(true);
    }

    @Test
    @Tag("long")
    void everySubscriberEndsWithTheNewestOfEachTopicWithoutEarlyPush() throws Exception {
        everySubscriberEndsWithTheNewestOfEachTopic(false);
    }

    private void everySubscriberEndsWithTheNewestOfEachTopic(boolean earlyPush) throws Exception {
        View stored = new View();
        View live = new View();
        try (BrokerProcess broker = new BrokerProcess(directory)
                        .setting("sessionConfig", "{maxQueuedMessages: 1000000}")
                        .property("inbox_store_early_push", earlyPush);
                TestClient publisher = new TestClient(ClientConfig.of(broker.address(), "publisher", 5));
                TestClient persistent = new TestClient(
                        ClientConfig.of(broker.address(), "persistent", 5)
                                .withReceiveMaximum(50)
                                .withAcks(acknowledgements::add),
                        stored::see);
                TestClient clean = new TestClient(
                        ClientConfig.of(broker.address(), "clean", 4).withCleanSession(), live::see)) {
            broker.start();
            publisher.connect();
            for (int topic = 0; topic < TOPICS; topic++) {
                publish(publisher, topic, "first");
            }
            awaitStored();

            persistent.connect();
            clean.connect();
            assertThat(persistent.subscribe("r/#", 2)).isEqualTo(2);
            assertThat(clean.subscribe("r/#", 1)).isEqualTo(1);
            for (int round = 1; round <= 3; round++) {
                change(publisher, 200, "round " + round);
                int goal = stored.received.get() + 300;
                await("the replay to go on", () -> {
                    acknowledgeOne();
                    return stored.received.get() >= goal;
                });
                persistent.abort();
                acknowledgements.clear();
                change(publisher, 50, "away " + round);
                assertThat(persistent.connect().sessionPresent()).isTrue();
            }
            assertThat(stored.last.size()).as("the kill interrupts a replay").isLessThan(TOPICS / 2);
            awaitStored();
            broker.kill();
            broker.start();
            publisher.connect();
            assertThat(persistent.connect().sessionPresent()).isTrue();
            clean.connect();
            clean.subscribe("r/#", 1);
            change(publisher, 500, "after the kill");
            awaitStored();

            await("the persistent session to have all", () -> {
                while (acknowledgeOne()) {
                    // all there are
                }
                return stored.last.equals(newest);
            });
            await("the clean session to have all", () -> live.last.equals(newest));
        }
    }

    /** The persistent client answers what it received first; false when there is nothing to answer. */
    private boolean acknowledgeOne() {
        Runnable acknowledgement = acknowledgements.poll();
        if (acknowledgement != null) {
            acknowledgement.run();
        }
        return acknowledgement != null;
    }

    private void change(TestClient publisher, int times, String payload) throws Exception {
        for (int i = 0; i < times; i++) {
            publish(publisher, random.nextInt(TOPICS), payload + " " + i);
        }
    }

    private void publish(TestClient publisher, int topic, String payload) throws IOException {
        await("room to publish", publisher::canPublish);
        byte[] bytes = payload.getBytes(StandardCharsets.UTF_8);
        last = publisher.publish("r/" + topic, bytes, 1, true, Properties.NONE);
        publisher.flush();
        newest.put("r/" + topic, payload);
    }

    /** Acknowledgements come in the order of the publishes. */
    private void awaitStored() throws Exception {
        CompletableFuture<@Nullable Ack> sent = last;
        if (sent != null) {
            sent.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
    }

    private static void await(String what, BooleanSupplier condition) {
        Await.until(what, Duration.ofSeconds(PATIENCE_SECONDS), condition::getAsBoolean);
    }
}
