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
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Three packaged brokers keep three copies, whatever a shell's JVM_OPTS say, until an operator asks for fewer. */
class RedundancyTest {
    private static final Logger LOG = LoggerFactory.getLogger(RedundancyTest.class);
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int REFUSED = 4;
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
}
