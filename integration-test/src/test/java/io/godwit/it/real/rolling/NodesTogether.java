package io.godwit.it.real.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.cluster.BrokerCluster;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Properties;
import io.godwit.testing.Await;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What clients of the nodes of a cluster see of each other, while the nodes have different builds. Each check uses
 * clients, topics and sessions of its own, so that it can be made again.
 */
final class NodesTogether {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int STORED = 20;
    private static final int CODE_BANNED = 0x8A;

    private final BrokerCluster cluster;
    private final Path directory;

    /** @param directory for what commands print */
    NodesTogether(BrokerCluster cluster, Path directory) {
        this.cluster = cluster;
        this.directory = directory;
    }

    /**
     * From a client of each node to one of each: to a connected subscriber, into a session that is resumed on the node
     * of the publisher, and as a retained message.
     *
     * @param stage in the names of clients and topics; another one for each call
     */
    void assertMessagesPass(String stage) throws Exception {
        int count = cluster.nodes().size();
        for (int from = 0; from < count; from++) {
            for (int to = 0; to < count; to++) {
                String name = stage + '-' + from + '-' + to;
                int version = 4 + (from + to) % 2;
                try (TestClient publisher = new TestClient(
                                config(from, name + "-out", 9 - version).withCleanSession());
                        TestClient subscriber =
                                new TestClient(config(to, name + "-in", version).withCleanSession());
                        TestClient away = new TestClient(config(to, name + "-away", version))) {
                    assertMessagesPass(name, publisher, subscriber, away, cluster.node(from));
                }
            }
        }
    }

    private static void assertMessagesPass(
            String name, TestClient publisher, TestClient subscriber, TestClient away, BrokerProcess ofPublisher)
            throws Exception {
        String topic = "together/" + name;
        String retained = "together-retained/" + name;
        for (TestClient each : List.of(publisher, subscriber, away)) {
            assertThat(each.connect().code()).as(each.clientId()).isZero();
        }
        assertThat(subscriber.subscribe(topic, 2)).isEqualTo(2);
        assertThat(away.subscribe(topic, 2)).isEqualTo(2);
        away.disconnect();
        for (int qos = 1; qos <= 2; qos++) {
            acknowledged(publisher.publish(topic, "of QoS " + qos, qos), topic);
        }
        away.moveTo(ofPublisher.address());
        assertThat(away.connect().sessionPresent()).as(away.clientId()).isTrue();
        for (TestClient each : List.of(subscriber, away)) {
            assertThat(List.of(text(next(each)), text(next(each))))
                    .as(each.clientId())
                    .containsExactlyInAnyOrder("of QoS 1", "of QoS 2");
        }
        retain(publisher, retained);
        assertThat(subscriber.subscribe(retained, 1)).isEqualTo(1);
        assertThat(text(next(subscriber))).as(retained).isEqualTo("retained");
    }

    /** Bans a client through one node, by the command of its build. From then on no node lets the client in. */
    void assertBanHolds(int by, String clientId) throws Exception {
        Path out = directory.resolve("admin.out");
        Await looks = Await.atMost(PATIENCE);
        // the first record of operators is refused until all nodes have announced that they read records
        while (cluster.node(by).admin(out, "ban", "--client", clientId, "--reason", "upgrade") != 0) {
            String said = Files.readString(out);
            looks.again(() -> "a ban through node " + by + ": " + said);
        }
        for (BrokerProcess node : cluster.nodes()) {
            awaitBanned(node, clientId);
        }
    }

    static void awaitBanned(BrokerProcess node, String clientId) throws Exception {
        Await.until("the ban of " + clientId + " on " + node.address(), PATIENCE, () -> {
            ClientConfig config = ClientConfig.of(node.address(), clientId, 5).withCleanSession();
            try (TestClient client = new TestClient(config)) {
                return client.connect().code() == CODE_BANNED;
            }
        });
    }

    // --- what is stored by one build and served by another

    /** Leaves messages for a session without a connection, and a retained message. */
    static void leaveStored(BrokerProcess subscribers, BrokerProcess publishers, String round) throws Exception {
        try (TestClient away = new TestClient(stored(subscribers, round))) {
            away.connect();
            assertThat(away.subscribe("stored/" + round, 2)).isEqualTo(2);
            away.disconnect();
        }
        ClientConfig config =
                ClientConfig.of(publishers.address(), "storing-" + round, 5).withCleanSession();
        try (TestClient publisher = new TestClient(config)) {
            publisher.connect();
            for (int i = 0; i < STORED; i++) {
                acknowledged(publisher.publish("stored/" + round, "queued " + i, qosOf(i)), "queued " + i);
            }
            retain(publisher, "stored-retained/" + round);
        }
    }

    /** What {@link #leaveStored} has left, in order for each QoS. Once for each round: the session is empty then. */
    static void assertStoredIsServed(BrokerProcess node, String round) throws Exception {
        try (TestClient back = new TestClient(stored(node, round))) {
            assertThat(back.connect().sessionPresent()).isTrue();
            List<List<String>> given = List.of(new ArrayList<>(), new ArrayList<>());
            List<List<String>> expected = List.of(new ArrayList<>(), new ArrayList<>());
            for (int i = 0; i < STORED; i++) {
                expected.get(qosOf(i) - 1).add("queued " + i);
                Packet.Publish message = next(back);
                given.get(message.qos() - 1).add(text(message));
            }
            assertThat(given).isEqualTo(expected);
        }
        ClientConfig config =
                ClientConfig.of(node.address(), "reader-" + round, 5).withCleanSession();
        try (TestClient reader = new TestClient(config)) {
            reader.connect();
            reader.subscribe("stored-retained/" + round, 1);
            assertThat(text(next(reader))).isEqualTo("retained");
        }
    }

    private static int qosOf(int number) {
        return 1 + number % 2;
    }

    /** By MQTT 3.1.1: its session never expires. */
    private static ClientConfig stored(BrokerProcess node, String round) {
        return ClientConfig.of(node.address(), "away-" + round, 4);
    }

    private ClientConfig config(int node, String clientId, int version) {
        return ClientConfig.of(cluster.node(node).address(), clientId, version);
    }

    private static void retain(TestClient publisher, String topic) throws Exception {
        byte[] payload = "retained".getBytes(StandardCharsets.UTF_8);
        Future<Packet.@Nullable Ack> stored = publisher.publish(topic, payload, 1, true, Properties.NONE);
        publisher.flush();
        acknowledged(stored, topic);
    }

    private static void acknowledged(Future<Packet.@Nullable Ack> publish, String what) throws Exception {
        Packet.@Nullable Ack ack = publish.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(ack != null && ack.code() < 0x80).as("%s: %s", what, ack).isTrue();
    }

    private static Packet.Publish next(TestClient client) throws IOException, InterruptedException {
        Packet.@Nullable Publish message = client.next(PATIENCE);
        if (message == null) {
            throw new IOException(client.clientId() + " gets no message within " + PATIENCE);
        }
        return message;
    }

    private static String text(Packet.Publish message) {
        return new String(message.payload(), StandardCharsets.UTF_8);
    }
}
