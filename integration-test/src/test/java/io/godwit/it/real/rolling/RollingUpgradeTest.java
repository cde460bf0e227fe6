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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cluster of three nodes of an earlier build is upgraded to this one, node by node, under load. While it is mixed,
 * clients of both versions of the protocol are served, and nothing acknowledged is lost. What the earlier build has
 * stored (a queue of a session without a connection, retained messages) is served by this one.
 *
 * <p>{@code -Dgodwit.previous=DIRECTORY} names the distribution of the earlier build; {@code .ci/previous-build} makes
 * one. Without it the test fails.
 */
@Tag("long")
class RollingUpgradeTest {
    private static final String PREVIOUS = "godwit.previous";
    private static final int NODES = 3;
    private static final int STORED = 20;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    @Test
    @Timeout(600)
    void aClusterOfAnEarlierBuildIsUpgradedUnderLoad() throws Exception {
        Path previous = previous();
        List<Traffic> traffic = new ArrayList<>();
        try (BrokerCluster cluster = new BrokerCluster(directory, NODES)) {
            for (BrokerProcess node : cluster.nodes()) {
                node.property("inbox_store_initial_ranges", NODES).installedIn(previous);
            }
            cluster.start();
            cluster.awaitVoters(0, "inbox", NODES, NODES);
            cluster.awaitVoters(0, "dist", 1, NODES);
            cluster.awaitVoters(0, "retain", 1, NODES);
            leaveStored(cluster);
            try {
                begin(cluster, traffic);
                awaitService(traffic, "before the upgrade");
                for (int i = 0; i < NODES; i++) {
                    upgrade(cluster, i, traffic);
                }
                traffic.forEach(Traffic::stopPublishing);
                Await.comesToHold(
                        PATIENCE,
                        () -> traffic.stream().allMatch(each -> each.missing().isEmpty()));
                for (Traffic each : traffic) {
                    assertThat(each.missing())
                            .as("acknowledged and not given: %s", each.details())
                            .isEmpty();
                    assertThat(each.wrong()).as("%s", each.details()).isEmpty();
                    assertThat(each.reconnects()).as("%s", each.details()).isPositive();
                }
            } finally {
                for (Traffic each : traffic) {
                    each.close();
                }
            }
            assertStoredIsServed(cluster);
        }
    }

    /** A distribution whose jars differ from those of this build: with the same ones the test would show nothing. */
    private static Path previous() throws IOException {
        String given = System.getProperty(PREVIOUS);
        assertThat(given)
                .as("-D%s=DIRECTORY names the distribution of an earlier build: see .ci/previous-build", PREVIOUS)
                .isNotBlank();
        Path previous = Path.of(given).toAbsolutePath();
        assertThat(previous.resolve("bin/standalone.sh")).isExecutable();
        Map<String, Path> jars = jars(BrokerProcess.distribution());
        Map<String, Path> others = jars(previous);
        boolean isAnother = !jars.keySet().equals(others.keySet());
        for (Map.Entry<String, Path> jar : jars.entrySet()) {
            Path other = others.get(jar.getKey());
            isAnother |= other == null || Files.mismatch(jar.getValue(), other) >= 0;
        }
        assertThat(isAnother).as("%s is another build", previous).isTrue();
        return previous;
    }

    private static Map<String, Path> jars(Path distribution) throws IOException {
        Map<String, Path> jars = new TreeMap<>();
        try (Stream<Path> files = Files.list(distribution.resolve("lib"))) {
            files.forEach(file -> jars.put(String.valueOf(file.getFileName()), file));
        }
        return jars;
    }

    private static void begin(BrokerCluster cluster, List<Traffic> traffic) throws Exception {
        List<String> servers = cluster.nodes().stream()
                .map(node -> "127.0.0.1:" + node.address().getPort())
                .toList();
        Tally v3 = new Tally();
        traffic.add(new Traffic("PAHO_V3", new PahoV3Pair(servers, v3), v3));
        Tally v5 = new Tally();
        traffic.add(new Traffic("PAHO_V5", new PahoV5Pair(servers, v5), v5));
        for (Traffic each : traffic) {
            each.start();
        }
    }

    private static void upgrade(BrokerCluster cluster, int number, List<Traffic> traffic) throws Exception {
        traffic.forEach(Traffic::restartBegins);
        BrokerProcess node = cluster.node(number);
        node.stop();
        node.installedIn(BrokerProcess.distribution());
        node.start();
        awaitService(traffic, "behind the upgrade of node " + number);
        traffic.forEach(each -> each.restartEnded("upgrade of node " + number));
        assertThat(node.status()).doesNotContain("FAILED");
    }

    private static void awaitService(List<Traffic> traffic, String when) {
        Map<Traffic, Integer> marks = new HashMap<>();
        traffic.forEach(each -> marks.put(each, each.number()));
        Await.comesToHold(
                PATIENCE,
                () -> marks.entrySet().stream().allMatch(mark -> mark.getKey().isServedBehind(mark.getValue())));
        marks.forEach((each, mark) -> {
            if (!each.isServedBehind(mark)) {
                each.wrong("not served within " + PATIENCE.toSeconds() + " s " + when);
            }
        });
    }

    private static void leaveStored(BrokerCluster cluster) throws Exception {
        try (TestClient away = new TestClient(stored(cluster.node(0), "away"))) {
            away.connect();
            assertThat(away.subscribe("stored/+", 2)).isLessThanOrEqualTo(2);
            away.disconnect();
        }
        ClientConfig config = ClientConfig.of(cluster.node(1).address(), "before", 5)
                .withCleanSession();
        try (TestClient publisher = new TestClient(config)) {
            publisher.connect();
            for (int i = 0; i < STORED; i++) {
                publisher.publish("stored/q", "queued " + i, 1 + i % 2).get(20, TimeUnit.SECONDS);
            }
            byte[] payload = "retained".getBytes(StandardCharsets.UTF_8);
            var retained = publisher.publish("retained/r", payload, 1, true, Properties.NONE);
            publisher.flush();
            retained.get(20, TimeUnit.SECONDS);
        }
    }

    private static void assertStoredIsServed(BrokerCluster cluster) throws Exception {
        try (TestClient back = new TestClient(stored(cluster.node(2), "away"))) {
            assertThat(back.connect().sessionPresent()).isTrue();
            int ofQos1 = 0;
            int ofQos2 = 1;
            for (int i = 0; i < STORED; i++) {
                Packet.Publish message = next(back);
                boolean isQos1 = message.qos() == 1;
                // in order for each QoS
                assertThat(text(message)).isEqualTo("queued " + (isQos1 ? ofQos1 : ofQos2));
                ofQos1 += isQos1 ? 2 : 0;
                ofQos2 += isQos1 ? 0 : 2;
            }
        }
        ClientConfig config = ClientConfig.of(cluster.node(0).address(), "reader", 5)
                .withCleanSession();
        try (TestClient reader = new TestClient(config)) {
            reader.connect();
            reader.subscribe("retained/#", 1);
            assertThat(text(next(reader))).isEqualTo("retained");
        }
    }

    /** By MQTT 3.1.1: its session never expires. */
    private static ClientConfig stored(BrokerProcess node, String clientId) {
        return ClientConfig.of(node.address(), clientId, 4);
    }

    private static Packet.Publish next(TestClient client) throws InterruptedException {
        Packet.@Nullable Publish message = client.next(PATIENCE);
        if (message == null) {
            throw new AssertionError("no message within " + PATIENCE);
        }
        return message;
    }

    private static String text(Packet.Publish message) {
        return new String(message.payload(), StandardCharsets.UTF_8);
    }
}
