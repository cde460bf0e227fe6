package io.godwit.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.cluster.BrokerCluster.RangeLine;
import io.godwit.testing.Await;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * One of three packaged brokers is stopped in good order under load, and started again. It leads a third of the
 * sessions, whose clients are connected to the others: they notice a pause, and keep their connections.
 */
class NodeStopTest {
    private static final int NODES = 3;
    private static final int STOPPED = 2;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String ONLY_REPLICAS =
            "{balancers: [replica-count], balanceSettings: replica-count.settleSeconds=1}";

    @TempDir
    private Path directory;

    @Test
    @Tag("full")
    @Timeout(200)
    void aNodeThatStopsInOrderEndsNoConnectionOfAnotherNode() throws Exception {
        stopAndStart(2);
    }

    @Test
    @Tag("long")
    void aNodeThatStopsTenTimesEndsNoConnectionOfAnotherNode() throws Exception {
        stopAndStart(10);
    }

    private void stopAndStart(int rounds) throws Exception {
        try (BrokerCluster cluster = new BrokerCluster(directory, NODES)) {
            for (BrokerProcess node : cluster.nodes()) {
                node.property("inbox_store_initial_ranges", NODES)
                        .setting(
                                "storeConfig",
                                "{dist: " + ONLY_REPLICAS + ", inbox: " + ONLY_REPLICAS + ", retain: " + ONLY_REPLICAS
                                        + "}");
            }
            cluster.start();
            cluster.awaitVoters(0, "dist", 1, NODES);
            cluster.awaitVoters(0, "retain", 1, NODES);
            List<RangeLine> inbox = cluster.awaitVoters(0, "inbox", NODES, NODES);
            List<Echo> echoes = new ArrayList<>();
            try {
                for (int i = 0; i < 2 * STOPPED; i++) {
                    for (RangeLine range : inbox) {
                        String id = clientIn(cluster, inbox, range, "echo-" + i);
                        InetSocketAddress address = cluster.node(i % STOPPED).address();
                        echoes.add(new Echo(ClientConfig.of(address, id, 4 + i / STOPPED)));
                    }
                }
                for (Echo echo : echoes) {
                    echo.start();
                }
                for (int round = 0; round < rounds; round++) {
                    for (int i = 0; i < NODES; i++) {
                        cluster.lead("inbox", inbox.get(i), i);
                    }
                    awaitEchoes(echoes);
                    cluster.node(STOPPED).stop();
                    awaitEchoes(echoes);
                    assertThat(echoes.stream().map(Echo::lost))
                            .as("connections to the other nodes that were lost in round %d", round)
                            .containsOnly("");
                    cluster.node(STOPPED).start();
                    awaitEchoes(echoes);
                    assertThat(echoes.stream().map(Echo::lost))
                            .as("connections to the other nodes that were lost when the stopped node returned")
                            .containsOnly("");
                }
            } finally {
                echoes.forEach(Echo::close);
            }
        }
    }

    private static String clientIn(BrokerCluster cluster, List<RangeLine> inbox, RangeLine range, String stem) {
        int number = 0;
        while (!cluster.rangeOf(inbox, stem + '-' + number).equals(range)) {
            number++;
        }
        return stem + '-' + number;
    }

    /** Until each has got something that it has published from now on, or has lost its connection. */
    private static void awaitEchoes(List<Echo> echoes) {
        List<Integer> before = echoes.stream().map(Echo::published).toList();
        Await.until(() -> "all to be served: " + echoes, PATIENCE, () -> {
            for (int i = 0; i < before.size(); i++) {
                Echo echo = echoes.get(i);
                if (echo.lost().isEmpty() && echo.given() <= before.get(i)) {
                    return false;
                }
            }
            return true;
        });
    }
}
