package io.godwit.broker.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.client.AckPolicy;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet.Publish;
import io.godwit.testing.Await;
import io.godwit.testing.Pace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The leaders of the inbox store are replaced in good order ten times a second, as by splits, under load at all QoS to
 * and from connected persistent clients. On one connection nothing comes twice, so every message is there once, in
 * order.
 */
class ReplacedLeaderTest {
    private static final Duration LOAD = Duration.ofSeconds(8);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int PUBLISHERS = 2;
    private static final int ALL_QOS = 3;

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final InMemoryBroker broker;
    private final List<TestClient> clients = new ArrayList<>();

    ReplacedLeaderTest() throws Exception {
        broker = new InMemoryBroker();
    }

    @AfterEach
    void close() throws Exception {
        clients.forEach(TestClient::close);
        timer.shutdownNow();
        broker.close();
    }

    @Test
    void noClientNoticesThatTheLeadersOfItsInboxAreReplaced() throws Exception {
        Random random = new Random(7);
        List<Subscriber> subscribers = List.of(
                new Subscriber(ClientConfig.of(broker.address(), "quick", 5)),
                new Subscriber(ClientConfig.of(broker.address(), "narrow", 5).withReceiveMaximum(3)),
                new Subscriber(
                        ClientConfig.of(broker.address(), "late", 4).withAcks(AckPolicy.late(timer, random, 30))),
                new Subscriber(ClientConfig.of(broker.address(), "shuffled", 5)
                        .withAcks(AckPolicy.shuffled(timer, random, 7, 40))));
        List<TestClient> publishers = new ArrayList<>();
        for (int i = 0; i < PUBLISHERS; i++) {
            publishers.add(connected(new TestClient(ClientConfig.of(broker.address(), "p" + i, i % 2 == 0 ? 5 : 4)
                    .withWindow(20))));
        }
        TestClient changeable = connected(new TestClient(ClientConfig.of(broker.address(), "changeable", 5)));

        int[][] sent = new int[PUBLISHERS][ALL_QOS];
        int moves = 0;
        long begin = System.nanoTime();
        for (long now = begin; now - begin < LOAD.toNanos(); now = System.nanoTime()) {
            if ((now - begin) / 100_000_000 > moves) {
                moves++;
                broker.moveInboxLeaders();
                assertThat(changeable.subscribe("other/" + moves, 1)).isOne();
                assertThat(changeable.unsubscribe("other/" + moves)).isZero();
            }
            for (int i = 0; i < PUBLISHERS; i++) {
                if (publishers.get(i).canPublish()) {
                    int qos = random.nextInt(ALL_QOS);
                    publishers.get(i).publish("t/" + i, i + "/" + qos + "/" + sent[i][qos]++, qos);
                }
            }
            Pace.passNanos(2_000_000);
        }

        await("all publishes are answered", () -> publishers.stream().allMatch(p -> p.unacknowledged() == 0));
        int total = 0;
        for (int[] ofOne : sent) {
            for (int count : ofOne) {
                total += count;
            }
        }
        int all = total;
        for (Subscriber subscriber : subscribers) {
            await(subscriber.name + " has everything", () -> subscriber.received.size() >= all);
            subscriber.check(sent);
        }
        assertThat(clients).allMatch(TestClient::isOpen);
        assertThat(clients).allMatch(client -> client.lastDisconnectCode() == -1);
        assertThat(broker.inboxMoves()).as("number of replaced leaders").isGreaterThan(20);
        assertThat(broker.count("godwit.mqtt.attachments.continued")).isGreaterThan(20 * clients.size());
        assertThat(broker.count("godwit.mqtt.attachments.lost")).isZero();
        assertThat(broker.count("godwit.inbox.dropped")).isZero();
        assertThat(broker.count("godwit.mqtt.messages.dropped")).isZero();

        timer.schedule(() -> {}, 0, TimeUnit.MILLISECONDS).get();
        for (Subscriber subscriber : subscribers) {
            subscriber.client.disconnect();
        }
        for (Subscriber subscriber : subscribers) {
            subscriber.received.clear();
            assertThat(subscriber.client.connect().sessionPresent()).isTrue();
        }
        publishers.get(0).publish("t/last", "last", 2);
        for (Subscriber subscriber : subscribers) {
            await(subscriber.name + " has the last one", () -> !subscriber.received.isEmpty());
            assertThat(new String(subscriber.received.get(0).payload(), UTF_8))
                    .as("first in the queue of %s", subscriber.name)
                    .isEqualTo("last");
        }
    }

    private TestClient connected(TestClient client) throws Exception {
        clients.add(client);
        assertThat(client.connect().code()).isZero();
        return client;
    }

    private static void await(String what, Callable<Boolean> condition) throws Exception {
        Await.until(what, PATIENCE, condition::call);
    }

    /** Takes all of the load, and remembers it. */
    private final class Subscriber {
        final String name;
        final TestClient client;
        final List<Publish> received = new CopyOnWriteArrayList<>();

        Subscriber(ClientConfig config) throws Exception {
            name = config.clientId();
            client = connected(new TestClient(config, received::add));
            assertThat(client.subscribe("t/#", 2)).isEqualTo(2);
        }

        void check(int[][] sent) {
            Map<String, List<Integer>> byFlow = new HashMap<>();
            for (Publish publish : received) {
                assertThat(publish.dup())
                        .as("a first delivery is not marked as a repeat")
                        .isFalse();
                String payload = new String(publish.payload(), UTF_8);
                int slash = payload.lastIndexOf('/');
                byFlow.computeIfAbsent(payload.substring(0, slash), flow -> new ArrayList<>())
                        .add(Integer.parseInt(payload.substring(slash + 1)));
            }
            for (int publisher = 0; publisher < sent.length; publisher++) {
                for (int qos = 0; qos < ALL_QOS; qos++) {
                    String flow = publisher + "/" + qos;
                    assertThat(byFlow.getOrDefault(flow, List.of()))
                            .as("%s of %s", flow, name)
                            .isSortedAccordingTo(Comparator.naturalOrder())
                            .doesNotHaveDuplicates()
                            .hasSize(sent[publisher][qos]);
                }
            }
        }
    }
}
