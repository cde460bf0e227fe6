package io.godwit.it.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.Ports;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import io.godwit.plugin.balance.RangeBalancer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An operator's day: on one node, with a plugin, with a backup, and on three nodes. */
class OperatorTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);

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

    /** As the README of the example tells: its jar lies in {@code plugins}, and the file names the balancer for one store. */
    @Test
    void aPluginsBalancerIsAskedWhereTheFileNamesIt() throws Exception {
        Path installation = installationWith("leaders-in-zone-1.0.0.jar");
        try (BrokerProcess broker = new BrokerProcess(directory.resolve("broker"))
                .installedIn(installation)
                .setting(
                        "storeConfig",
                        "{inbox: {balancers: [split, leaders-in-zone], balanceSettings: leaders-in-zone.zone=rack-1}}")) {
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

    private Path installationWith(String jarName) throws IOException {
        Path installation = Files.createDirectory(directory.resolve("installation"));
        Path distribution = BrokerProcess.distribution();
        for (String part : List.of("bin", "conf")) {
            Path to = Files.createDirectory(installation.resolve(part));
            try (Stream<Path> files = Files.list(distribution.resolve(part))) {
                for (Path file : files.toList()) {
                    Files.copy(file, to.resolve(file.getFileName()));
                    to.resolve(file.getFileName()).toFile().setExecutable(true);
                }
            }
        }
        Files.createSymbolicLink(installation.resolve("lib"), distribution.resolve("lib"));
        Path example = Path.of(System.getProperty("user.dir")).resolveSibling("docs/examples/range-balancer/src/main");
        Path classes = Files.createDirectory(directory.resolve("classes"));
        compile(example.resolve("java"), classes);
        String service = "META-INF/services/io.godwit.plugin.balance.RangeBalancerFactory";
        Files.createDirectories(classes.resolve(service).getParent());
        Files.copy(example.resolve("resources").resolve(service), classes.resolve(service));
        pack(classes, Files.createDirectory(installation.resolve("plugins")).resolve(jarName));
        return installation;
    }

    private static void compile(Path sources, Path classes) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        String api = Path.of(URI.create(RangeBalancer.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toString()))
                .toString();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
                Stream<Path> found = Files.walk(sources)) {
            List<Path> java =
                    found.filter(file -> file.toString().endsWith(".java")).toList();
            assertThat(compiler.getTask(
                                    null,
                                    files,
                                    null,
                                    List.of("-d", classes.toString(), "-cp", api, "--release", "17", "-proc:none"),
                                    null,
                                    files.getJavaFileObjectsFromPaths(java))
                            .call())
                    .isTrue();
        }
    }

    private static void pack(Path classes, Path jar) throws IOException {
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file);
                Stream<Path> entries = Files.walk(classes)) {
            for (Path entry : entries.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new JarEntry(classes.relativize(entry).toString()));
                Files.copy(entry, out);
            }
        }
    }

    /** Messages that wait for a client, and a retained one, from one broker by a backup to another. */
    @Test
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
        try (BrokerProcess restored = new BrokerProcess(directory.resolve("restored"))) {
            String[] restore = {
                "restore",
                backups.resolve("inbox.tar").toString(),
                backups.resolve("dist").toString(),
                backups.resolve("retain").toString(),
                "--into",
                restored.data().toString(),
                "--yes"
            };
            assertThat(admin(restored, restore)).as(said).isZero();
            assertThat(admin(restored, restore)).as("again").isEqualTo(4);
            restored.launch();
            restored.awaitReady(PATIENCE);
            assertThat(admin(restored, "ranges", "inbox")).isZero();
            try (TestClient keeper = new TestClient(ClientConfig.of(restored.address(), "keeper", 5))) {
                assertThat(keeper.connect().sessionPresent()).isTrue();
                for (int i = 0; i < 300; i++) {
                    Packet.Publish message = keeper.next(Duration.ofSeconds(20));
                    assertThat(message).as("message %d", i).isNotNull();
                    assertThat(new String(message.payload(), StandardCharsets.UTF_8))
                            .isEqualTo("message " + i);
                }
            }
        }
    }

    @Test
    void threeNodesShareTheirRangesAndOneIsDrained() throws Exception {
        List<Integer> ports = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            ports.add(Ports.free().getPort());
        }
        String seeds = "127.0.0.1:" + ports.get(0) + ",127.0.0.1:" + ports.get(2);
        List<BrokerProcess> nodes = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                BrokerProcess node = new BrokerProcess(directory.resolve("n" + i))
                        .setting(
                                "clusterConfig",
                                "{env: it, host: 127.0.0.1, port: " + ports.get(2 * i) + ", rpcPort: "
                                        + ports.get(2 * i + 1) + ", seedEndpoints: \"" + seeds + "\"}")
                        .property("inbox_store_replica_voter_count", 3);
                nodes.add(i == 0 ? node : node.joining());
                node.launch();
                node.awaitReady(PATIENCE);
            }
            BrokerProcess first = nodes.get(0);
            assertThat(json(first, "members").getAsJsonArray("nodes")).hasSize(3);
            for (String store : List.of("dist", "inbox", "retain")) {
                awaitVoters(first, store, 3);
            }
            // from another machine, as far as RPC can tell
            assertThat(admin(first, "members", "--rpc", "127.0.0.1:" + ports.get(5)))
                    .as(said)
                    .isZero();

            String last = json(nodes.get(2), "members").get("self").getAsString();
            assertThat(admin(first, "drain", last, "--patience", "120"))
                    .as(said)
                    .isZero();
            assertThat(said).contains("it is safe to stop");
            nodes.get(2).stop();
            for (String store : List.of("dist", "inbox", "retain")) {
                for (JsonElement range : json(first, "ranges", store).getAsJsonArray("ranges")) {
                    assertThat(range.getAsJsonObject().get("voters").toString()).doesNotContain(last);
                }
            }
        } finally {
            for (BrokerProcess node : nodes) {
                node.close();
            }
        }
    }

    private void awaitVoters(BrokerProcess node, String store, int voters) throws IOException {
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        while (true) {
            boolean isSo = true;
            for (JsonElement range : json(node, "ranges", store).getAsJsonArray("ranges")) {
                isSo &= range.getAsJsonObject().getAsJsonArray("voters").size() == voters;
            }
            if (isSo) {
                return;
            }
            assertThat(System.nanoTime() - giveUp).as(said).isNegative();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(500));
        }
    }
}
