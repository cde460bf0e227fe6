package io.godwit.it.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.cluster.BrokerCluster;
import io.godwit.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What packaged brokers tell their operator while too few of them are there. */
@Timeout(300)
class QuorumTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int NOT_SERVING = 4;
    private static final String ONLY_REPLICAS = Stream.of("dist", "inbox", "retain")
            .map(store -> store + ": {balancers: [replica-count], balanceSettings: replica-count.settleSeconds=1}")
            .collect(Collectors.joining(", ", "{", "}"));

    @TempDir
    private Path directory;

    @Test
    @Tag("full")
    void aBrokerWithoutAMajorityIsNotReadyAndSaysWhatIsMissing() throws Exception {
        try (BrokerCluster cluster = new BrokerCluster(directory, 3)) {
            for (BrokerProcess node : cluster.nodes()) {
                node.property("inbox_store_replica_voter_count", 3)
                        .property("retain_store_replica_voter_count", 3)
                        .setting("storeConfig", ONLY_REPLICAS);
            }
            cluster.start();
            for (String store : new String[] {"dist", "inbox", "retain"}) {
                cluster.awaitVoters(0, store, 1, 3);
            }
            BrokerProcess first = cluster.node(0);
            assertThat(first.statusCode()).isZero();

            cluster.node(1).kill();
            cluster.node(2).kill();
            Await.until("a status of not serving", () -> first.statusCode() == NOT_SERVING);
            Await.until("what is missing", () -> first.status().contains("1 of 3 voters, missing"));
            String status = first.status();
            assertThat(status).contains(", degraded");
            for (String store : new String[] {"dist", "inbox", "retain"}) {
                assertThat(status).contains("store " + store + " NO_QUORUM " + store + "-1: 1 of 3 voters, missing ");
            }
            assertThat(status).contains(called(cluster, 1), called(cluster, 2));

            // the first of a cluster that was stopped, one node after the other
            first.kill();
            first.launch();
            Await.until(
                    () -> "what the start waits for" + text(first),
                    PATIENCE,
                    () -> first.printed().contains("godwit: store dist waits for dist-1: 1 of 3 voters, missing "));
            assertThat(first.printed()).contains(called(cluster, 1), called(cluster, 2));
            assertThat(first.statusCode()).isEqualTo(NOT_SERVING);
            assertThat(first.status()).contains("store dist STARTING dist-1: 1 of 3 voters, missing ");

            cluster.node(1).launch("--no-wait");
            assertThat(cluster.node(1).startEnded(Duration.ofSeconds(30))).isZero();
            assertThat(cluster.node(1).printed()).contains("starting, pid ").doesNotContain("listening");
            first.awaitReady(PATIENCE);
            Await.until("the second", PATIENCE, () -> cluster.node(1).statusCode() == 0);
            assertThat(first.statusCode())
                    .as("two of three nodes are a majority")
                    .isZero();
            assertThat(Files.readString(first.log().resolve("godwit.log")))
                    .contains("range changed", "cluster changed")
                    .doesNotContain("[B@")
                    .doesNotContain("org.jgroups")
                    .doesNotContain(" o.jgroups");
        }
    }

    private static String text(BrokerProcess broker) {
        try {
            return ": " + broker.status() + broker.said();
        } catch (IOException e) {
            return ": " + e;
        }
    }

    private static String called(BrokerCluster cluster, int node) {
        return "node " + cluster.id(node).substring(0, 8) + " at " + cluster.rpcAddress(node);
    }
}
