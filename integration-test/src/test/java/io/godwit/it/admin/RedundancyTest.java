package io.godwit.it.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.cluster.BrokerCluster;
import io.godwit.it.cluster.BrokerCluster.RangeLine;
import io.godwit.it.cluster.BrokerCluster.Way;
import io.godwit.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Three packaged brokers keep three copies, whatever a shell's JVM_OPTS say, until an operator asks for fewer; and what
 * they tell while too few of them are there. The tests wait for nodes most of their time, and do so side by side.
 */
@Timeout(300)
class RedundancyTest {
    private static final Logger LOG = LoggerFactory.getLogger(RedundancyTest.class);
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int REFUSED = 4;
    private static final int NOT_SERVING = 4;
    private static final List<String> STORES = List.of("dist", "inbox", "retain");
    private static final String INBOX_VOTERS = "inbox_store_replica_voter_count";
    /** With the grace period of ten minutes: nothing heals here by waiting. */
    private static final String ONLY_REPLICAS = STORES.stream()
            .map(store -> store + ": {balancers: [replica-count, drain], balanceSettings: "
                    + "[replica-count.settleSeconds=1, drain.settleSeconds=1]}")
            .collect(Collectors.joining(", ", "{", "}"));

    @TempDir
    private Path directory;

    @Test
    @Tag("full")
    @Execution(ExecutionMode.CONCURRENT) // of the class, it would run beside other classes
    void threeCopiesStayUntilAnOperatorAsksForFewer() throws Exception {
        try (BrokerCluster cluster = new BrokerCluster(directory, 3)) {
            cluster.nodes().forEach(node -> node.setting("storeConfig", ONLY_REPLICAS));
            cluster.start();
            for (String store : STORES) { // the inbox store too: three is the default
                cluster.awaitVoters(0, store, 1, 3);
            }
            assertThat(wanted(cluster, 2, "inbox")).isEqualTo(3);
            LOG.info("three voters each");
            aRestartWithAnotherPropertyCutsNothing(cluster);
            LOG.info("a property cuts nothing");
            whatLowersIsRefused(cluster);
            LOG.info("what lowers is refused");
            aWipedNodeIsHealed(cluster);
        }
    }

    private static int wanted(BrokerCluster cluster, int node, String store) throws IOException {
        return cluster.done(Way.DATA, node, "members")
                .getAsJsonObject("wantedVoters")
                .get(store)
                .getAsInt();
    }

    /** The node that the change is made on leads the range: its balancers would do it. */
    private static void aRestartWithAnotherPropertyCutsNothing(BrokerCluster cluster) throws Exception {
        BrokerProcess node = cluster.node(1);
        node.stop();
        node.property(INBOX_VOTERS, 1);
        node.launch();
        node.awaitReady(PATIENCE);
        assertThat(node.status())
                .contains(INBOX_VOTERS + " is 1 here, but the cluster wants 3 voters", "replicas inbox 1");
        List<RangeLine> ranges = cluster.awaitVoters(1, "inbox", 1, 3);
        cluster.lead("inbox", ranges.get(0), 1);
        cluster.awaitRanges(
                1, "inbox", "led by the node", all -> all.get(0).leader().equals(cluster.id(1)));
        Await.holds(
                "three voters",
                Duration.ofSeconds(8),
                () -> cluster.ranges(1, "inbox").get(0).voters().size() == 3);
        assertThat(wanted(cluster, 1, "inbox")).isEqualTo(3);
    }

    private static void whatLowersIsRefused(BrokerCluster cluster) throws IOException {
        BrokerCluster.Answer fewer = cluster.admin(Way.RPC, 0, "replicas", "inbox", "1");
        assertThat(fewer.code()).as("%s", fewer).isEqualTo(REFUSED);
        assertThat(fewer.told()).contains("3 voters, which survive the loss of 1", "1 of 1 ranges");

        BrokerCluster.Answer move =
                cluster.admin(Way.DATA, 2, "move", "inbox", "1", "--from", cluster.id(0), "--to", cluster.id(1));
        assertThat(move.code()).as("%s", move).isEqualTo(REFUSED);
        assertThat(move.told()).contains("is a voter of range 1 already", "2 voters of 3");

        BrokerCluster.Answer drain = cluster.admin(Way.DATA, 0, "drain", cluster.id(2));
        assertThat(drain.code()).as("%s", drain).isEqualTo(REFUSED);
        assertThat(drain.told())
                .contains("would have 2, which survive the loss of 0")
                .doesNotContain("safe to stop");
        for (String store : STORES) {
            assertThat(cluster.ranges(0, store))
                    .allMatch(range -> range.voters().size() == 3);
        }

        JsonObject done = cluster.done(Way.RPC, 2, "replicas", "retain", "1", "--yes");
        assertThat(done.get("detail").getAsString()).contains("1 voter, which survive the loss of 0");
        cluster.awaitVoters(0, "retain", 1, 1);
        cluster.done(Way.RPC, 1, "replicas", "retain", "3");
        cluster.awaitVoters(0, "retain", 1, 3);
    }

    private static void aWipedNodeIsHealed(BrokerCluster cluster) throws Exception {
        BrokerProcess node = cluster.node(2);
        String old = cluster.id(2);
        node.kill();
        Path aside = node.data().resolveSibling("data-of-before");
        Files.move(node.data(), aside);
        node.launch();
        node.awaitReady(PATIENCE);
        awaitDown(cluster, Way.DATA, 0, old);
        awaitDown(cluster, Way.RPC, 1, old); // each asks for itself

        BrokerCluster.Answer drain = cluster.admin(Way.RPC, 0, "drain", old);
        assertThat(drain.code()).as("%s", drain).isEqualTo(REFUSED);
        assertThat(drain.told()).contains("is not running", "forget").doesNotContain("Exception");

        long asked = System.nanoTime();
        cluster.done(Way.RPC, 1, "forget", old);
        for (String store : STORES) {
            cluster.awaitRanges(
                    0,
                    store,
                    "three voters without the old node",
                    all -> all.stream().allMatch(range -> range.voters().size() == 3 && !range.hasReplicaOn(old)));
        }
        // followers report their voters a little later than the leader, and a forgotten node is listed until all agree
        Await.until(
                old + " is listed no more",
                PATIENCE,
                () -> nodes(cluster).stream().noneMatch(each -> storeId(each).equals(old)));
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - asked);
        LOG.info("healed within {} s", seconds);
        assertThat(seconds)
                .as("seconds until each range had all its voters again")
                .isLessThan(60);
        assertThat(nodes(cluster)).hasSize(3);

        node.stop();
        Path fresh = node.data().resolveSibling("data-of-the-new-node");
        Files.move(node.data(), fresh);
        Files.move(aside, node.data());
        assertThat(node.tryStart()).as(node.said()).isNotZero();
        assertThat(node.said()).contains("was forgotten by an operator", "move its data directory aside");
        assertThat(nodes(cluster)).noneMatch(each -> storeId(each).equals(old));
    }

    private static List<JsonObject> nodes(BrokerCluster cluster) throws IOException {
        return nodes(cluster, Way.DATA, 0);
    }

    private static List<JsonObject> nodes(BrokerCluster cluster, Way way, int asked) throws IOException {
        return cluster.done(way, asked, "members").getAsJsonArray("nodes").asList().stream()
                .map(JsonElement::getAsJsonObject)
                .toList();
    }

    private static String storeId(JsonObject node) {
        return node.get("storeId").getAsString();
    }

    /** At the node that is asked for something next. */
    private static void awaitDown(BrokerCluster cluster, Way way, int asked, String storeId) throws IOException {
        Await.until(
                storeId + " is missed",
                PATIENCE,
                () -> nodes(cluster, way, asked).stream()
                        .anyMatch(node -> storeId(node).equals(storeId)
                                && node.get("liveness").getAsString().equals("DOWN")));
    }

    // --- too few nodes

    @Test
    @Tag("full")
    @Execution(ExecutionMode.CONCURRENT)
    void aBrokerWithoutAMajorityIsNotReadyAndSaysWhatIsMissing() throws Exception {
        try (BrokerCluster cluster = new BrokerCluster(directory, 3)) {
            for (BrokerProcess node : cluster.nodes()) {
                node.property("inbox_store_replica_voter_count", 3)
                        .property("retain_store_replica_voter_count", 3)
                        .setting("storeConfig", ONLY_REPLICAS);
            }
            cluster.start();
            for (String store : STORES) {
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
            for (String store : STORES) {
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
