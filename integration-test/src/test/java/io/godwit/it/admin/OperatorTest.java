package io.godwit.it.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.ExampleProject;
import io.godwit.it.broker.PluginInstallation;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.cluster.BrokerCluster;
import io.godwit.it.cluster.BrokerCluster.Way;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Properties;
import io.godwit.testing.Await;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An operator's day: on one node, with a plugin, with a backup, and on three nodes. */
class OperatorTest {
    private static final Logger LOG = LoggerFactory.getLogger(OperatorTest.class);
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int REFUSED = 4;
    private static final int MESSAGES = 20;
    /** Nothing moves but what an operator asks for, and what is missing. */
    private static final String ONLY_REPLICAS = Stream.of("dist", "inbox", "retain")
            .map(store -> store + ": {balancers: [replica-count, drain], balanceSettings: "
                    + "[replica-count.settleSeconds=1, drain.settleSeconds=1]}")
            .collect(Collectors.joining(", ", "{", "}"));

    @TempDir
    private Path directory;

    private String said = "";

    private int admin(BrokerProcess broker, String... command) throws IOException {
        Path out = directory.resolve("admin.out");
        int code = broker.admin(out, command);
        said = Files.readString(out);
        return code;
    }

    private JsonObject json(BrokerProcess broker, String... command) throws IOException {
        List<String> words = new ArrayList<>(List.of(command));
        words.add("--json");
        assertThat(admin(broker, words.toArray(String[]::new))).as(said).isZero();
        return JsonParser.parseString(said).getAsJsonObject();
    }

    private static List<String> texts(JsonArray array, String key) {
        List<String> texts = new ArrayList<>();
        for (JsonElement each : array) {
            texts.add(each.getAsJsonObject().get(key).getAsString());
        }
        return texts;
    }

    /**
     * As the README of the example tells: it is built by its own pom, its jar lies in {@code plugins}, and the file
     * names the balancer for one store.
     */
    @Test
    @Tag("full")
    @Execution(ExecutionMode.CONCURRENT) // of the class, it would run beside other classes
    void aPluginsBalancerIsAskedWhereTheFileNamesIt() throws Exception {
        Path installation = installationWithTheExample();
        try (BrokerProcess broker = new BrokerProcess(directory.resolve("broker"))
                .installedIn(installation)
                .setting(
                        "storeConfig",
                        "{inbox: {balancers: [split, leaders-in-zone], balanceSettings: "
                                + "leaders-in-zone.zone=rack-1}}")) {
            broker.launch();
            broker.awaitReady(PATIENCE);
            JsonArray balancers = json(broker, "balancers", "inbox")
                    .getAsJsonArray("nodes")
                    .get(0)
                    .getAsJsonObject()
                    .getAsJsonArray("balancers");
            assertThat(texts(balancers, "name")).containsExactly("split", "leaders-in-zone");
            JsonObject plugin = balancers.get(1).getAsJsonObject();
            assertThat(plugin.getAsJsonObject("settings").get("zone").getAsString())
                    .isEqualTo("rack-1");
            assertThat(plugin.get("fault").getAsString()).isEmpty();
            assertThat(texts(
                            json(broker, "balancers", "dist")
                                    .getAsJsonArray("nodes")
                                    .get(0)
                                    .getAsJsonObject()
                                    .getAsJsonArray("balancers"),
                            "name"))
                    .doesNotContain("leaders-in-zone")
                    .contains("replica-count");
            assertThat(admin(broker, "balancers", "inbox", "--pause", "leaders-in-zone"))
                    .isZero();
            assertThat(said).containsPattern("leaders-in-zone +paused");
        }
    }

    private Path installationWithTheExample() throws IOException, InterruptedException {
        PluginInstallation installation = new PluginInstallation(directory);
        installation.take(ExampleProject.build(Files.createDirectory(directory.resolve("example")), "range-balancer"));
        return installation.path();
    }

    /** Messages that wait for a client, and a retained one, from one broker by a backup to another. */
    @Test
    @Tag("full")
    @Execution(ExecutionMode.CONCURRENT)
    void aRestoredBrokerHasWhatWasAcknowledged() throws Exception {
        Path backups = Files.createDirectory(directory.resolve("backups"));
        try (BrokerProcess broker = new BrokerProcess(directory.resolve("broker"))) {
            broker.launch();
            broker.awaitReady(PATIENCE);
            assertThat(PosixFilePermissions.toString(
                            Files.getPosixFilePermissions(broker.data().resolve("godwit.rpc"))))
                    .isEqualTo("rw-------");
            try (TestClient keeper = new TestClient(ClientConfig.of(broker.address(), "keeper", 5))) {
                keeper.connect();
                keeper.subscribe("a/#", 1);
            }
            try (TestClient publisher = new TestClient(
                    ClientConfig.of(broker.address(), "publisher", 5).withCleanSession())) {
                publisher.connect();
                for (int i = 0; i < 300; i++) {
                    if (i == 100) { // the store is cut while messages wait in it
                        assertThat(admin(broker, "split", "inbox", "1", "--at", "07"))
                                .as(said)
                                .isZero();
                    }
                    publisher.publish("a/" + i, "message " + i, 1).get(20, TimeUnit.SECONDS);
                }
            }
            for (String store : List.of("dist", "retain")) {
                assertThat(admin(broker, "backup", store, backups.resolve(store).toString()))
                        .as(said)
                        .isZero();
            }
            assertThat(admin(
                            broker,
                            "backup",
                            "inbox",
                            backups.resolve("inbox.tar").toString()))
                    .as(said)
                    .isZero();
        }
        try (BrokerCluster restored = new BrokerCluster(directory.resolve("restored"), 2)) {
            restored.nodes().forEach(node -> node.setting("storeConfig", ONLY_REPLICAS));
            BrokerProcess first = restored.node(0);
            String[] restore = {
                "restore",
                backups.resolve("inbox.tar").toString(),
                backups.resolve("dist").toString(),
                backups.resolve("retain").toString(),
                "--into",
                first.data().toString(),
                "--yes"
            };
            assertThat(admin(first, restore)).as(said).isZero();
            assertThat(admin(first, restore)).as("a second restore is refused").isEqualTo(4);
            restored.start();
            assertThat(admin(first, "ranges", "inbox")).isZero();
            bringOver(restored, "keeper");
            try (TestClient keeper =
                    new TestClient(ClientConfig.of(restored.node(1).address(), "keeper", 5))) {
                assertThat(keeper.connect().sessionPresent()).isTrue();
                for (int i = 0; i < 300; i++) {
                    assertThat(text(keeper)).isEqualTo("message " + i);
                }
                keeper.publish("a/new", "message 300", 1).get(20, TimeUnit.SECONDS);
                assertThat(text(keeper))
                        .as("the restored route delivers the message")
                        .isEqualTo("message 300");
            }
        }
    }

    /**
     * The node that has joined is given the routes by itself, as every node is, and the range of a session by an
     * operator.
     */
    private static void bringOver(BrokerCluster cluster, String clientId) throws IOException {
        cluster.awaitRanges(
                0,
                "dist",
                "the new node has a replica",
                ranges -> ranges.stream().allMatch(range -> range.hasReplicaOn(cluster.id(1))));
        String range = cluster.rangeOf(cluster.ranges(0, "inbox"), clientId).id();
        JsonObject moved =
                cluster.atLast(Way.RPC, 1, "move", "inbox", range, "--from", cluster.id(0), "--to", cluster.id(1));
        assertThat(moved.getAsJsonArray("voters").toString()).isEqualTo("[\"" + cluster.id(1) + "\"]");
        cluster.awaitRanges(
                1, "inbox", "the new node serves the session", ranges -> cluster.homeOf(ranges, clientId) == 1);
    }

    private static String text(TestClient client) throws InterruptedException {
        Packet.Publish message = client.next(Duration.ofSeconds(20));
        assertThat(message).as("the next message").isNotNull();
        return new String(message.payload(), StandardCharsets.UTF_8);
    }

    // --- three nodes

    @Test
    @Tag("full")
    @Execution(ExecutionMode.CONCURRENT)
    void threeNodesAreLookedAtChangedDrainedAndRecovered() throws Exception {
        try (BrokerCluster cluster = new BrokerCluster(directory, 3)) {
            for (BrokerProcess node : cluster.nodes()) {
                node.property("inbox_store_replica_voter_count", 3)
                        .property("retain_store_replica_voter_count", 1)
                        .setting("storeConfig", ONLY_REPLICAS);
            }
            cluster.start();
            JsonObject members = cluster.done(Way.RPC, 2, "members");
            assertThat(members.get("self").getAsString()).isEqualTo(cluster.id(2));
            assertThat(texts(members.getAsJsonArray("nodes"), "liveness")).containsExactly("ALIVE", "ALIVE", "ALIVE");
            for (String store : List.of("dist", "inbox")) {
                cluster.awaitVoters(0, store, 1, 3);
            }
            LOG.info("three voters each");
            leaveMessages(cluster);
            changeRanges(cluster);
            LOG.info("changed");
            backUp(cluster);
            LOG.info("backed up");
            drain(cluster);
            LOG.info("drained, and back");
            recover(cluster);
            LOG.info("recovered");
            servesAgain(cluster);
        }
    }

    private static void leaveMessages(BrokerCluster cluster) throws Exception {
        int home = cluster.homeOf(cluster.ranges(0, "inbox"), "keeper");
        try (TestClient keeper =
                new TestClient(ClientConfig.of(cluster.node(home).address(), "keeper", 5))) {
            keeper.connect();
            assertThat(keeper.subscribe("a/#", 1)).isEqualTo(1);
            keeper.disconnect();
        }
        try (TestClient publisher =
                new TestClient(ClientConfig.of(cluster.node(home).address(), "publisher", 5))) {
            publisher.connect();
            publish(publisher, 0, MESSAGES);
            CompletableFuture<Packet.@Nullable Ack> kept =
                    publisher.publish("kept", "kept".getBytes(StandardCharsets.UTF_8), 1, true, Properties.NONE);
            publisher.flush();
            assertThat(kept.get(20, TimeUnit.SECONDS)).isNotNull();
        }
    }

    private static void publish(TestClient client, int from, int to) throws Exception {
        for (int i = from; i < to; i++) {
            Packet.Ack ack = client.publish("a/" + i, "message " + i, 1).get(20, TimeUnit.SECONDS);
            assertThat(ack).isNotNull();
            assertThat(ack.code()).as("message %d", i).isZero();
        }
    }

    private static void changeRanges(BrokerCluster cluster) throws IOException {
        assertThat(outcome(cluster.atLast(Way.RPC, 1, "split", "inbox", "1", "--at", "0764656661756c7480")))
                .isEqualTo("DONE");
        cluster.awaitVoters(0, "inbox", 2, 3);
        assertThat(outcome(cluster.atLast(Way.DATA, 2, "merge", "inbox", "1"))).isEqualTo("DONE");
        cluster.awaitVoters(1, "inbox", 1, 3);

        assertThat(outcome(cluster.atLast(Way.RPC, 2, "transfer", "dist", "1", "--to", cluster.id(1))))
                .isEqualTo("DONE");
        cluster.awaitRanges(
                0, "dist", "the leader is told", all -> all.get(0).leader().equals(cluster.id(1)));

        BrokerCluster.Answer move =
                cluster.admin(Way.DATA, 0, "move", "retain", "1", "--from", cluster.id(0), "--to", cluster.id(1));
        assertThat(move.code()).as(move.toString()).isZero();
        assertThat(move.told()).contains("add-learner", "promote", "move-leader", "remove");
        assertThat(JsonParser.parseString(move.text())
                        .getAsJsonObject()
                        .getAsJsonArray("voters")
                        .toString())
                .isEqualTo("[\"" + cluster.id(1) + "\"]");
    }

    private static String outcome(JsonObject result) {
        return result.get("outcome").getAsString();
    }

    /** Each through a node that may not lead what is copied. */
    private void backUp(BrokerCluster cluster) throws IOException {
        Path backups = Files.createDirectory(directory.resolve("backups"));
        List<String> restore = new ArrayList<>(List.of("restore"));
        for (String store : List.of("inbox", "dist", "retain")) {
            String to = backups.resolve(store + ".tar").toString();
            JsonObject written = cluster.done(store.equals("dist") ? Way.DATA : Way.RPC, 2, "backup", store, to);
            assertThat(written.get("ranges").getAsInt()).isEqualTo(1);
            restore.add(to);
        }
        Path nowhere = backups.resolve("restored");
        restore.addAll(List.of("--into", nowhere.toString()));
        JsonObject checked = cluster.done(Way.DATA, 0, restore.toArray(String[]::new));
        assertThat(checked.get("isDryRun").getAsBoolean()).isTrue();
        assertThat(checked.get("ranges").getAsInt()).isEqualTo(3);
        assertThat(nowhere).doesNotExist();
    }

    /** The third node goes, and comes back to stay. */
    private static void drain(BrokerCluster cluster) throws IOException {
        BrokerCluster.Answer unmeant = cluster.admin(Way.RPC, 0, "drain", cluster.id(2), "--patience", "90");
        assertThat(unmeant.code()).as("two voters would be left: %s", unmeant).isEqualTo(REFUSED);
        JsonObject drained = cluster.done(Way.RPC, 0, "drain", cluster.id(2), "--reduce", "--patience", "90");
        assertThat(drained.get("isSafeToStop").getAsBoolean()).isTrue();
        for (String store : List.of("inbox", "retain")) {
            assertThat(cluster.ranges(0, store)).noneMatch(range -> range.hasReplicaOn(cluster.id(2)));
        }
        // from which it serves its clients until it is stopped
        assertThat(cluster.ranges(0, "dist"))
                .allMatch(range ->
                        range.hasReplicaOn(cluster.id(2)) && !range.voters().contains(cluster.id(2)));
        cluster.node(2).stop();
        cluster.node(2).launch();
        cluster.node(2).awaitReady(PATIENCE);
        String again = cluster.id(2);
        Await.until(
                "it is there to be asked",
                PATIENCE,
                () -> cluster.admin(Way.DATA, 1, "drain", again, "--cancel").code() == 0);
        JsonObject stays = cluster.done(Way.DATA, 1, "drain", again, "--cancel");
        assertThat(stays.get("isDraining").getAsBoolean()).isFalse();
        cluster.node(2).awaitReady(PATIENCE);
        for (String store : List.of("dist", "inbox")) {
            cluster.awaitVoters(1, store, 1, 3);
        }
    }

    /** Two of three nodes die. The one that is left is told that they never come back. */
    private static void recover(BrokerCluster cluster) throws IOException {
        String lost = cluster.id(0) + ',' + cluster.id(2);
        BrokerCluster.Answer early = cluster.admin(Way.RPC, 1, "recover", "dist", "--lost", lost, "--yes");
        assertThat(early.code()).as("the nodes are still members: %s", early).isEqualTo(REFUSED);
        cluster.node(0).kill();
        cluster.node(2).kill();
        awaitAlone(cluster, 1);

        JsonObject dry = cluster.done(Way.RPC, 1, "recover", "dist", "--lost", lost);
        assertThat(dry.get("isDryRun").getAsBoolean()).isTrue();
        assertThat(dry.getAsJsonArray("errors")).isEmpty();
        assertThat(dry.getAsJsonArray("steps").toString()).contains("dist-1", "go on by themselves");
        assertThat(cluster.ranges(1, "dist").get(0).voters()).hasSize(3);
        assertThat(log(cluster.node(1))).doesNotContain("voters reset without a majority");

        for (String store : List.of("dist", "inbox")) {
            JsonObject done = cluster.done(
                    store.equals("dist") ? Way.DATA : Way.RPC, 1, "recover", store, "--lost", lost, "--yes");
            assertThat(done.get("isDryRun").getAsBoolean()).isFalse();
            assertThat(done.getAsJsonArray("errors")).isEmpty();
            assertThat(log(cluster.node(1)))
                    .contains(
                            "operator recovers store=" + store,
                            "voters reset without a majority range=" + store + "-1 voters=[" + cluster.id(1) + "]");
        }
        assertThat(cluster.done(Way.DATA, 1, "recover", "retain", "--lost", lost)
                        .getAsJsonArray("steps"))
                .as("no steps: the only voter of the range is on this node")
                .isEmpty();
        for (String store : List.of("dist", "inbox", "retain")) {
            cluster.awaitVoters(1, store, 1, 1);
        }
    }

    private static void awaitAlone(BrokerCluster cluster, int node) throws IOException {
        Await.until("two nodes are missed", PATIENCE, () -> {
            JsonArray nodes = cluster.done(Way.DATA, node, "members").getAsJsonArray("nodes");
            return texts(nodes, "liveness").stream().filter("DOWN"::equals).count() == 2;
        });
    }

    private static String log(BrokerProcess broker) throws IOException {
        return Files.readString(broker.log().resolve("godwit.log"));
    }

    private static void servesAgain(BrokerCluster cluster) throws Exception {
        try (TestClient keeper = new TestClient(ClientConfig.of(cluster.node(1).address(), "keeper", 5))) {
            assertThat(keeper.connect().sessionPresent()).isTrue();
            publish(keeper, MESSAGES, MESSAGES + 1);
            for (int i = 0; i <= MESSAGES; i++) {
                assertThat(text(keeper)).isEqualTo("message " + i);
            }
            assertThat(keeper.subscribe("kept", 1)).isEqualTo(1);
            assertThat(text(keeper)).isEqualTo("kept");
        }
    }
}
