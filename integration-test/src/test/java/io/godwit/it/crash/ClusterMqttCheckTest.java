package io.godwit.it.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.cluster.BrokerCluster;
import io.godwit.it.crash.NodesPlan.Trouble;
import io.godwit.it.kv.fault.Links;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Packaged brokers that are one cluster, in network namespaces, keep what they acknowledged, with clients that go from
 * node to node, whatever happens to one node after the other: {@link Trouble}. {@link CheckerTest} and the other tests
 * of the {@link Checker} show which broken promises are found, and {@link FaultyClusterTest} that this run finds them.
 *
 * <p>The seed is logged; {@code -Dnemesis.seed=N} repeats the load and the troubles, {@code -Dnemesis.seconds=N} makes
 * them last longer or shorter, {@code -Dnemesis.troubles=KILL,PAUSE} chooses some. The history of a failure is saved
 * below {@code target}; {@code HistoryCheck} judges it again. Where the machine does not let us make namespaces, links
 * pass proxies; {@code -Dnemesis.links=proxy} asks for these, and only over them messages are late. A trouble that the
 * machine does not allow is left out, which is logged as SKIPPED, with the reason.
 */
class ClusterMqttCheckTest {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterMqttCheckTest.class);

    /** Has each of six troubles once, three nodes as victims, and one cut off for 13.8 s. */
    private static final long SHORT_SEED = 941;

    private static final int SHORT_SECONDS = 46;

    @TempDir
    private Path directory;

    /**
     * The same each time: each of the troubles once. One node is cut off for so long that the others give it up. The
     * ranges have their voters soon after the start; in the long runs they come as they do by default.
     */
    @Test
    @Tag("full")
    @Tag("alone")
    @Timeout(240)
    void threeNodesKeepWhatTheyAcknowledgedThroughSixTroubles() throws Exception {
        check(
                3,
                SHORT_SECONDS,
                EnumSet.of(
                        Trouble.KILL, Trouble.PAUSE, Trouble.RESTART, Trouble.APART, Trouble.TRANSFER, Trouble.SPLIT),
                SHORT_SEED,
                true);
    }

    /** Run by hand. */
    @Test
    @Tag("long")
    @Timeout(600)
    void threeNodesKeepWhatTheyAcknowledged() throws Exception {
        check(3, 60, EnumSet.of(Trouble.KILL, Trouble.HICCUP, Trouble.PAUSE, Trouble.RESTART, Trouble.TRANSFER));
    }

    /** Run by hand. */
    @Test
    @Tag("long")
    void threeNodesKeepWhatTheyAcknowledgedForHalfAnHour() throws Exception {
        check(3, 1_800, EnumSet.allOf(Trouble.class));
    }

    /** Run by hand. */
    @Test
    @Tag("long")
    void fiveNodesKeepWhatTheyAcknowledgedForHalfAnHour() throws Exception {
        check(5, 1_800, EnumSet.allOf(Trouble.class));
    }

    /** Run by hand. Clients of nodes that are drained and stopped go to the others. */
    @Test
    @Tag("long")
    @Timeout(600)
    void threeNodesBecomeFiveAndThreeAgain() throws Exception {
        long seed = Long.getLong("nemesis.seed", ThreadLocalRandom.current().nextLong(1_000_000));
        NodesPlan plan = new NodesPlan(seed, 300, 60, NodesPlan.QUIET_MILLIS, List.of());
        LOG.info("-Dnemesis.seed={}", seed);
        try (BrokerCluster cluster = cluster(Growth.FIRST + Growth.MORE, null, Growth.FIRST)) {
            cluster.start(Growth.FIRST);
            awaitVoters(cluster);
            NodesRun run = new NodesRun(cluster, null, plan);
            judge(run, plan, run.violations(new Growth(cluster)), 30);
        }
    }

    private void check(int size, int usualSeconds, Set<Trouble> usualTroubles) throws Exception {
        check(size, usualSeconds, usualTroubles, ThreadLocalRandom.current().nextLong(1_000_000), false);
    }

    private void check(int size, int usualSeconds, Set<Trouble> usualTroubles, long usualSeed, boolean votersSoon)
            throws Exception {
        long seed = Long.getLong("nemesis.seed", usualSeed);
        int seconds = Integer.getInteger("nemesis.seconds", usualSeconds);
        Set<Trouble> troubles = EnumSet.copyOf(usualTroubles);
        String chosen = System.getProperty("nemesis.troubles");
        if (chosen != null) {
            troubles.clear();
            Arrays.stream(chosen.split(",", -1)).map(Trouble::valueOf).forEach(troubles::add);
        }
        try (NodesMeans means = NodesMeans.of(size, directory, troubles)) {
            assumeFalse(means.possible().isEmpty(), "none of " + troubles + " can be made here");
            NodesPlan plan = NodesPlan.of(seed, size, TimeUnit.SECONDS.toMillis(seconds), 300, 60, means.possible());
            LOG.info("-Dnemesis.seed={}, {}: {}", seed, means.links().describe(), plan);
            check(size, means, plan, seconds, votersSoon);
        }
    }

    private void check(int size, NodesMeans means, NodesPlan plan, int seconds, boolean votersSoon) throws Exception {
        try (BrokerCluster cluster = cluster(size, means.links(), size)) {
            if (votersSoon) {
                cluster.votersSoon();
            }
            for (int node = 0; node < size; node++) {
                means.equip(node, cluster.node(node));
            }
            cluster.start();
            awaitVoters(cluster);
            NodesRun run = new NodesRun(cluster, means, plan);
            judge(run, plan, run.violations(), seconds);
        }
    }

    private BrokerCluster cluster(int size, @Nullable Links links, int founders) throws IOException {
        BrokerCluster cluster = new BrokerCluster(directory, size, links, founders);
        for (BrokerProcess node : cluster.nodes()) {
            node.property("inbox_store_initial_ranges", 3)
                    .property("inbox_store_replica_voter_count", 3)
                    .property("kv_snapshot_log_bytes", 4 << 20)
                    .setting("sessionConfig", "{maxQueuedMessages: 1000000}");
        }
        return cluster;
    }

    private static void awaitVoters(BrokerCluster cluster) throws IOException {
        cluster.awaitVoters(0, "dist", 1, 3);
        cluster.awaitVoters(0, "inbox", 3, 3);
        cluster.awaitVoters(0, "retain", 1, 3);
    }

    private static void judge(NodesRun run, NodesPlan plan, List<Violation> violations, int seconds) {
        LOG.info(
                "seed {}: {} publishes of QoS 1 acknowledged, {} of QoS 2",
                plan.seed(),
                run.acknowledgedQos1(),
                run.acknowledgedQos2());
        assertThat(violations)
                .withFailMessage(
                        () -> "seed " + plan.seed() + '\n' + Checker.summary(violations) + run.excerpt(violations))
                .isEmpty();
        // a cluster that hardly acknowledges would be judged by hardly anything
        assertThat(run.acknowledgedQos1()).isGreaterThan(20L * seconds);
        assertThat(run.acknowledgedQos2()).isGreaterThan(4L * seconds);
    }
}
