package io.godwit.it.real.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.Ports;
import io.godwit.it.cluster.BrokerCluster;
import io.godwit.testing.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brokers of an earlier build ({@link PreviousBuild}) are upgraded to this one, and go back.
 *
 * <p>A cluster of three nodes is upgraded node by node, under load. While it is mixed, each node serves clients of both
 * versions of the protocol, and what they publish reaches the clients of the others. Nothing acknowledged is lost. What
 * the earlier build has stored is served by this one.
 *
 * <p>Going back is possible if both builds store the same formats. Otherwise the earlier build may refuse the data. It
 * says so then, and this build serves the data as before.
 */
@Tag("long")
class RollingUpgradeTest {
    private static final Logger LOG = LoggerFactory.getLogger(RollingUpgradeTest.class);
    private static final int NODES = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** What {@code start} ends with if the broker runs, but does not serve all it should. */
    private static final int NOT_SERVING = 4;

    private static PreviousBuild previous;

    @TempDir
    private Path directory;

    @BeforeAll
    static void findThePreviousBuild() throws IOException {
        previous = PreviousBuild.given();
        LOG.info(
                "from {}, whose stored formats are {}",
                previous.distribution(),
                previous.storesTheSameFormats() ? "the same" : "other ones, or not known");
    }

    @Test
    @Timeout(900)
    void aClusterIsUpgradedUnderLoad() throws Exception {
        List<Traffic> traffic = new ArrayList<>();
        try (BrokerCluster cluster = startPrevious()) {
            NodesTogether nodes = new NodesTogether(cluster, directory);
            NodesTogether.leaveStored(cluster.node(0), cluster.node(1), "before");
            try {
                begin(cluster, traffic);
                awaitService(traffic, "before the upgrade");
                for (int i = 0; i < NODES; i++) {
                    upgrade(cluster.node(i), i, traffic);
                    awaitVoters(cluster, i);
                    nodes.assertMessagesPass("upgraded-" + i);
                    nodes.assertBanHolds(0, "banned-by-this-" + i);
                    nodes.assertBanHolds(NODES - 1, "banned-by-last-" + i);
                }
                traffic.forEach(Traffic::stopPublishing);
                Traffic.awaitRest(traffic, PATIENCE);
                assertNothingWasLost(traffic);
            } finally {
                for (Traffic each : traffic) {
                    each.close();
                }
            }
            NodesTogether.assertStoredIsServed(cluster.node(2), "before");
            goBack(cluster, nodes);
        }
    }

    private BrokerCluster startPrevious() throws IOException {
        BrokerCluster cluster = new BrokerCluster(directory.resolve("cluster"), NODES).votersSoon();
        try {
            for (BrokerProcess node : cluster.nodes()) {
                node.property("inbox_store_initial_ranges", NODES)
                        .setting("apiServerConfig", "{port: " + Ports.free().getPort() + "}")
                        .installedIn(previous.distribution());
            }
            cluster.start();
            awaitVoters(cluster, 0);
            return cluster;
        } catch (IOException | RuntimeException | Error e) {
            cluster.close();
            throw e;
        }
    }

    /** As one node sees them: all ranges have a leader and a voter on each node. */
    private static void awaitVoters(BrokerCluster cluster, int node) throws IOException {
        cluster.awaitVoters(node, "inbox", NODES, NODES);
        cluster.awaitVoters(node, "dist", 1, NODES);
        cluster.awaitVoters(node, "retain", 1, NODES);
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

    private static void upgrade(BrokerProcess node, int number, List<Traffic> traffic) throws Exception {
        traffic.forEach(Traffic::restartBegins);
        long begin = System.nanoTime();
        node.stop();
        long stopped = System.nanoTime();
        node.installedIn(BrokerProcess.distribution());
        node.start();
        LOG.info(
                "node {} stopped in {} ms, serves with this build {} ms later",
                number,
                TimeUnit.NANOSECONDS.toMillis(stopped - begin),
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - stopped));
        awaitService(traffic, "after the upgrade of node " + number);
        traffic.forEach(each -> each.restartEnded("upgrade of node " + number));
        assertThat(node.status()).doesNotContain("FAILED");
    }

    /** Until what each publishes from now on is acknowledged and given; those that wait in vain tell it later. */
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

    private static void assertNothingWasLost(List<Traffic> traffic) {
        for (Traffic each : traffic) {
            LOG.info("{}", each);
            assertThat(each.missing())
                    .as("acknowledged and not given: %s", each.details())
                    .isEmpty();
            assertThat(each.wrong()).as("%s", each.details()).isEmpty();
            // all nodes were restarted, so each client was on one that was
            assertThat(each.reconnects()).as("%s", each.details()).isPositive();
        }
    }

    // --- back to the earlier build

    /** One node of an upgraded cluster, and then forth again. */
    private static void goBack(BrokerCluster cluster, NodesTogether nodes) throws Exception {
        BrokerProcess node = cluster.node(0);
        NodesTogether.leaveStored(node, cluster.node(1), "upgraded");
        node.stop();
        boolean isOpened = isOpenedByPrevious(node);
        if (isOpened) {
            NodesTogether.assertStoredIsServed(node, "upgraded");
            nodes.assertMessagesPass("gone-back");
            NodesTogether.awaitBanned(node, "banned-by-this-0");
            node.stop();
        }
        node.installedIn(BrokerProcess.distribution());
        node.start();
        assertThat(node.status()).doesNotContain("FAILED");
        if (!isOpened) {
            NodesTogether.assertStoredIsServed(node, "upgraded");
        }
        nodes.assertMessagesPass("forth-again");
    }

    @Test
    @Timeout(300)
    void theEarlierBuildOpensTheDataOfThisOneOrRefusesThem() throws Exception {
        try (BrokerProcess broker = new BrokerProcess(directory.resolve("alone"))) {
            broker.start();
            NodesTogether.leaveStored(broker, broker, "by-this");
            broker.stop();
            boolean isOpened = isOpenedByPrevious(broker);
            if (isOpened) {
                NodesTogether.assertStoredIsServed(broker, "by-this");
                NodesTogether.leaveStored(broker, broker, "by-previous");
                broker.stop();
            }
            broker.installedIn(BrokerProcess.distribution());
            broker.start();
            assertThat(broker.status()).doesNotContain("FAILED");
            NodesTogether.assertStoredIsServed(broker, isOpened ? "by-previous" : "by-this");
        }
    }

    /** Starts the earlier build on data of this one. If it does not serve, it has said why, and is ended. */
    private static boolean isOpenedByPrevious(BrokerProcess broker) throws IOException {
        broker.installedIn(previous.distribution());
        int code = broker.tryStart();
        LOG.info("the earlier build on data of this one: start ended with {}", code);
        if (code == 0) {
            assertThat(broker.status()).doesNotContain("FAILED");
            return true;
        }
        assertThat(previous.storesTheSameFormats())
                .as("the formats are the same, so it must open the data: %s", broker.said())
                .isFalse();
        if (code == NOT_SERVING) {
            assertThat(broker.status()).contains("FAILED").contains("version");
        } else {
            assertThat(broker.said()).contains("is of a newer release");
        }
        broker.kill();
        return false;
    }
}
