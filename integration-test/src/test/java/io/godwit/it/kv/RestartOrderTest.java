package io.godwit.it.kv;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.kv.node.NodeOptions.Fault;
import io.godwit.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes of one cluster start again in any order, all of them after all were killed, and have what was acknowledged. */
class RestartOrderTest {
    private static final int PATIENCE_MILLIS = 60_000;
    /** Each node is the first, the second and the last once. */
    private static final List<List<Integer>> EACH_PLACE_ONCE =
            List.of(List.of(2, 1, 0), List.of(1, 0, 2), List.of(0, 2, 1));

    private static final List<List<Integer>> ALL = List.of(
            List.of(2, 1, 0), List.of(1, 0, 2), List.of(0, 2, 1), List.of(2, 0, 1), List.of(1, 2, 0), List.of(0, 1, 2));

    @TempDir
    private Path data;

    @Test
    @Tag("full")
    void nodesStartAgainWhicheverIsTheFirst() throws Exception {
        startAgain(EACH_PLACE_ONCE);
    }

    @Test
    @Tag("long")
    void nodesStartAgainInAnyOrder() throws Exception {
        startAgain(ALL);
    }

    private void startAgain(List<List<Integer>> orders) throws Exception {
        Path logs = Path.of("target", "restart-order").toAbsolutePath();
        try (TestCluster cluster = new TestCluster(
                3,
                new ProcessHosts(3, data, logs, false),
                List.of("m"),
                Fault.GENUINE,
                NodeTerms.SMALL.withVotersSoon())) {
            cluster.start();
            awaitServing(cluster);
            cluster.awaitVoters(0, 3, PATIENCE_MILLIS);
            for (int round = 0; round < orders.size(); round++) {
                // one in each range, over any node
                ask(cluster, round % 3, "write a" + round + " v" + round, "ok");
                ask(cluster, round % 3, "write z" + round + " v" + round, "ok");
                for (int node = 0; node < 3; node++) {
                    cluster.node(node).kill();
                }
                for (int node : orders.get(round)) {
                    start(cluster.node(node), logs);
                }
                awaitServing(cluster);
                for (int node = 0; node < 3; node++) {
                    for (int earlier = 0; earlier <= round; earlier++) {
                        ask(cluster, node, "read a" + earlier, "value v" + earlier);
                        ask(cluster, node, "read z" + earlier, "value v" + earlier);
                    }
                }
            }
        }
    }

    /** Returns when it is a member: the next one comes after it, whether it serves or not. */
    private static void start(TestNode node, Path logs) throws IOException {
        long before = entries(node, logs);
        node.start();
        Await looks = Await.atMost(Duration.ofMillis(PATIENCE_MILLIS));
        while (entries(node, logs) == before) {
            if (!node.isRunning() || !looks.again()) {
                throw new IOException(node.name() + " does not enter the cluster" + node.said());
            }
        }
    }

    /** How often it has entered the cluster, by its log. */
    private static long entries(TestNode node, Path logs) throws IOException {
        return Files.readAllLines(logs.resolve(node.name() + ".log")).stream()
                .filter(line -> line.contains("node of the cluster"))
                .count();
    }

    private static void awaitServing(TestCluster cluster) throws IOException {
        for (int node = 0; node < 3; node++) {
            cluster.awaitServing(node, PATIENCE_MILLIS);
        }
    }

    private static void ask(TestCluster cluster, int node, String request, String expected) throws IOException {
        try (NodeClient client = new NodeClient(cluster.node(node).address())) {
            assertThat(client.ask(request, PATIENCE_MILLIS, PATIENCE_MILLIS))
                    .as("%s over %s", request, cluster.node(node).name())
                    .isEqualTo(expected);
        }
    }
}
