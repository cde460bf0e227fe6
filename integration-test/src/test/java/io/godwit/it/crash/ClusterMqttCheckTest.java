package io.godwit.it.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.cluster.BrokerCluster;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Packaged brokers that are one cluster keep what they acknowledged, with clients that go from node to node, while one
 * node after the other is killed with -9 and started again, or stands still for a while. {@link CheckerTest} shows
 * which broken promises are found. The seed is logged; {@code -Dnemesis.seed=N} repeats the load and the troubles,
 * {@code -Dnemesis.seconds=N} makes them last longer or shorter. The history of a failure is saved below
 * {@code target}; {@code HistoryCheck} judges it again.
 */
class ClusterMqttCheckTest {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterMqttCheckTest.class);

    @TempDir
    private Path directory;

    /** Run by hand: it still finds broken promises, which docs/operations.md lists as limits. */
    @Test
    @Tag("long")
    @Timeout(600)
    void threeNodesKeepWhatTheyAcknowledged() throws Exception {
        check(3, 60);
    }

    @Test
    @Tag("long")
    void threeNodesKeepWhatTheyAcknowledgedForHalfAnHour() throws Exception {
        check(3, 1_800);
    }

    @Test
    @Tag("long")
    void fiveNodesKeepWhatTheyAcknowledgedForHalfAnHour() throws Exception {
        check(5, 1_800);
    }

    private void check(int size, int usualSeconds) throws Exception {
        long seed = Long.getLong("nemesis.seed", ThreadLocalRandom.current().nextLong(1_000_000));
        int seconds = Integer.getInteger("nemesis.seconds", usualSeconds);
        NodesPlan plan = NodesPlan.of(seed, size, TimeUnit.SECONDS.toMillis(seconds), 300, 60);
        LOG.info("-Dnemesis.seed={}: {}", seed, plan);
        try (BrokerCluster cluster = new BrokerCluster(directory, size)) {
            for (BrokerProcess node : cluster.nodes()) {
                node.property("inbox_store_initial_ranges", 3)
                        .property("inbox_store_replica_voter_count", 3)
                        .property("kv_snapshot_log_bytes", 4 << 20)
                        .setting("sessionConfig", "{maxQueuedMessages: 1000000}");
            }
            cluster.start();
            cluster.awaitVoters(0, "dist", 1, 3);
            cluster.awaitVoters(0, "inbox", 3, 3);
            cluster.awaitVoters(0, "retain", 1, 3);
            NodesRun run = new NodesRun(cluster.nodes(), plan);
            List<Violation> violations = run.violations();
            LOG.info(
                    "seed {}: {} publishes of QoS 1 acknowledged, {} of QoS 2",
                    seed,
                    run.acknowledgedQos1(),
                    run.acknowledgedQos2());
            assertThat(violations)
                    .withFailMessage(() -> "seed " + seed + '\n' + Checker.summary(violations))
                    .isEmpty();
            // a cluster that hardly acknowledges would be judged by hardly anything
            assertThat(run.acknowledgedQos1()).isGreaterThan(20L * seconds);
            assertThat(run.acknowledgedQos2()).isGreaterThan(4L * seconds);
        }
    }
}
