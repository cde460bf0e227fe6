package io.godwit.it.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonParser;
import io.godwit.broker.admin.AdminInProcess;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.Ports;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import io.godwit.mqtt.certificates.TestAuthority;
import io.godwit.testing.Await;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** How packaged brokers become one cluster, and whom they keep out; all of it with TLS between the nodes. */
@Timeout(180)
class FoundingTest {
    private static final String ADVICE = "Was clusterConfig.foundAlone true on two nodes";
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String HOST = "127.0.0.1";
    /** Of no data: how often the node has started, and who runs. */
    private static final Set<String> NOT_DATA = Set.of("INCARNATION", "LOCK", "godwit.api", "godwit.pid", "godwit.rpc");

    private static final TestAuthority AUTHORITY = new TestAuthority("root");
    private static final TestAuthority STRANGER = new TestAuthority("stranger");

    @TempDir
    private Path directory;

    private final List<Integer> ports = new ArrayList<>();
    private String said = "";

    /** Whichever comes first, and whoever sees whom at first: the same file but for ports on all of them. */
    @Test
    @Tag("full")
    @Execution(ExecutionMode.CONCURRENT) // of the class, it would run beside other classes
    void nodesWithTheSameBootstrapFoundOneClusterTogether() throws Exception {
        writeCertificates();
        try (BrokerProcess one = node(0, "it");
                BrokerProcess other = node(1, "it");
                BrokerProcess late = node(2, "it")) {
            List<BrokerProcess> both = List.of(one, other);
            one.launch();
            Await.until("what it waits for", () -> one.printed().contains("godwit: waits for "));
            assertThat(one.printed()).contains(HOST + ':' + ports.get(2)).doesNotContain("listening");
            assertThat(one.statusCode()).isEqualTo(4);
            assertThat(one.status()).contains("starting").contains("waits for ");
            assertThat(one.data().resolve("FORMAT")).doesNotExist();

            other.launch();
            for (BrokerProcess each : both) {
                each.awaitReady(PATIENCE);
            }
            assertThat(nodes(one)).hasSize(2);
            assertThat(nodes(other)).hasSize(2);
            assertThat(one.said()).doesNotContain("two clusters");

            late.launch();
            late.awaitReady(PATIENCE);
            assertThat(nodes(one)).hasSize(3);
        }
    }

    /** Otherwise a stop of a start that waits would be waited for, too. */
    @Test
    @Tag("full")
    @Execution(ExecutionMode.CONCURRENT)
    void aStartThatWaitsForOthersEndsWhenToldTo() throws Exception {
        writeCertificates();
        try (BrokerProcess one = node(0, "it")) {
            one.launch("--no-wait");
            assertThat(one.startEnded(PATIENCE)).isZero();
            Await.until("what it waits for", () -> one.status().contains("waits for "));
            long begun = System.nanoTime();
            one.stop();
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(20));
            assertThat(one.data().resolve("FORMAT")).doesNotExist();
        }
    }

    /**
     * Two that were told to found alone, without seeing each other, are told so, and an operator does as told; most
     * times one is refused before that.
     */
    @Test
    @Tag("full")
    @Execution(ExecutionMode.CONCURRENT)
    void ofTwoFoundersOneClusterComesAndOperatorsReachItByTls() throws Exception {
        writeCertificates();
        try (BrokerProcess one = alone(0, "it");
                BrokerProcess other = alone(1, "it");
                BrokerProcess late = alone(2, "it")) {
            one.launch();
            other.launch();
            boolean isOne = one.startEnded(PATIENCE) == 0;
            boolean isOther = other.startEnded(PATIENCE) == 0;
            assertThat(isOne || isOther).as(one.said() + other.said()).isTrue();
            BrokerProcess founder = isOne ? one : other;
            BrokerProcess loser = isOne ? other : one;
            if (isOne && isOther) {
                String advice = advice(founder);
                assertThat(advice(loser)).isEqualTo(advice);
                loser.stop();
                empty(loser.data());
            } else {
                assertThat(loser.said()).contains("clusterConfig.foundAlone is true");
                assertThat(loser.data().resolve("FORMAT")).doesNotExist();
            }
            loser.setting("clusterConfig", clusterConfig(loser == one ? 0 : 1, "it"))
                    .launch();
            loser.awaitReady(PATIENCE);
            assertThat(nodes(founder)).hasSize(2);

            String rpc = HOST + ':' + ports.get(founder == one ? 1 : 3);
            assertThat(admin(founder, rpc, "operator", "root", "members", "--json"))
                    .as(said)
                    .isZero();
            assertThat(JsonParser.parseString(said).getAsJsonObject().getAsJsonArray("nodes"))
                    .hasSize(2);
            assertThat(admin(founder, rpc, "operator", "root", "ranges", "inbox"))
                    .as(said)
                    .isZero();
            // of an authority that the node does not know, nor the operator that of the node
            assertThat(admin(founder, rpc, "intruder", "stranger", "members"))
                    .as(said)
                    .isEqualTo(3);
            assertThat(said).contains(rpc).doesNotContain(ports.get(0).toString());
            // a certificate of another authority than the operator trusts: not even tried
            assertThat(admin(founder, rpc, "intruder", "root", "members"))
                    .as(said)
                    .isEqualTo(3);
            assertThat(said).contains("would be refused by other nodes");
            assertThat(founder.adminAnywhere(file("admin.out"), "members", "--rpc", rpc))
                    .as("a connection without TLS is refused")
                    .isEqualTo(3);
            assertThat(nodes(founder)).hasSize(2);

            assertThat(late.tryStart()).isNotZero();
            assertThat(late.said())
                    .contains("clusterConfig.foundAlone is true and " + late.data() + " has no data")
                    .contains("has a cluster already")
                    .contains("set foundAlone to false");
            assertThat(late.data().resolve("FORMAT")).doesNotExist();
            assertThat(nodes(founder)).hasSize(2);
        }
    }

    @Test
    @Tag("full")
    @Execution(ExecutionMode.CONCURRENT)
    void dataOfAnotherClusterIsRefusedOnBothSidesAndStaysAsItIs() throws Exception {
        writeCertificates();
        try (BrokerProcess ours = alone(0, "it");
                BrokerProcess theirs = alone(1, "elsewhere")) {
            ours.launch();
            theirs.launch();
            ours.awaitReady(PATIENCE);
            theirs.awaitReady(PATIENCE);
            leave(ours, "ours");
            leave(theirs, "theirs");
            theirs.stop();
            assertNotLetIn(clusterConfig(1, "it"), theirs);
            assertThat(nodes(ours)).hasSize(1);
            ours.stop();

            // now those are there first
            theirs.launch();
            theirs.awaitReady(PATIENCE);
            assertNotLetIn(clusterConfig(0, "it"), ours);
            assertThat(nodes(theirs)).hasSize(1);
            collect(theirs, "theirs");
            theirs.stop();
            ours.launch();
            ours.awaitReady(PATIENCE);
            collect(ours, "ours");
        }
    }

    private void assertNotLetIn(String clusterConfig, BrokerProcess node) throws Exception {
        Map<String, String> before = hashes(node.data());
        assertThat(before).containsKey("FORMAT");
        node.setting("clusterConfig", clusterConfig);
        assertThat(node.tryStart()).isNotZero();
        assertThat(node.said())
                .contains("the data in " + node.data() + " is of cluster")
                .contains("Nothing was changed")
                .contains("clusterConfig.env");
        assertThat(hashes(node.data())).isEqualTo(before);
    }

    /** A message that waits in a stored session. */
    private static void leave(BrokerProcess broker, String text) throws Exception {
        try (TestClient keeper = new TestClient(ClientConfig.of(broker.address(), "keeper", 5))) {
            keeper.connect();
            keeper.subscribe("a/#", 1);
        }
        try (TestClient publisher =
                new TestClient(ClientConfig.of(broker.address(), "publisher", 5).withCleanSession())) {
            publisher.connect();
            publisher.publish("a/b", text, 1).get(20, TimeUnit.SECONDS);
        }
    }

    private static void collect(BrokerProcess broker, String text) throws Exception {
        try (TestClient keeper = new TestClient(ClientConfig.of(broker.address(), "keeper", 5))) {
            assertThat(keeper.connect().sessionPresent()).isTrue();
            Packet.Publish message = keeper.next(Duration.ofSeconds(20));
            assertThat(message).isNotNull();
            assertThat(new String(message.payload(), StandardCharsets.UTF_8)).isEqualTo(text);
        }
    }

    private BrokerProcess node(int number, String env) throws IOException {
        while (ports.size() < 2 * number + 2) {
            ports.add(Ports.free().getPort());
        }
        return new BrokerProcess(directory.resolve("n" + number)).setting("clusterConfig", clusterConfig(number, env));
    }

    /** One that founds whoever it sees. */
    private BrokerProcess alone(int number, String env) throws IOException {
        return node(number, env)
                .setting("clusterConfig", clusterConfig(number, env).replace("{env:", "{foundAlone: true, env:"));
    }

    /** The first two are each other's seeds. */
    private String clusterConfig(int number, String env) throws IOException {
        while (ports.size() < 4) {
            ports.add(Ports.free().getPort());
        }
        return "{env: " + env + ", host: " + HOST + ", port: " + ports.get(2 * number) + ", rpcPort: "
                + ports.get(2 * number + 1) + ", seedEndpoints: \"" + HOST + ':' + ports.get(0) + ',' + HOST + ':'
                + ports.get(2) + "\", tls: {certFile: " + file("node.crt") + ", keyFile: " + file("node.key")
                + ", trustCertsFile: " + file("root.crt") + "}}";
    }

    private Path file(String name) {
        return directory.resolve(name);
    }

    private void writeCertificates() {
        TestAuthority.write(directory, "node", AUTHORITY.issue("CN=node"));
        TestAuthority.write(directory, "operator", AUTHORITY.issue("CN=operator"));
        TestAuthority.write(directory, "intruder", STRANGER.issue("CN=operator"));
        TestAuthority.writePem(file("root.crt"), AUTHORITY.certificate());
        TestAuthority.writePem(file("stranger.crt"), STRANGER.certificate());
    }

    private int admin(BrokerProcess of, String rpc, String own, String authority, String... command)
            throws IOException {
        List<String> words = new ArrayList<>(List.of(command));
        words.addAll(List.of("--rpc", rpc, "--tls-cert", file(own + ".crt").toString()));
        words.addAll(List.of("--tls-key", file(own + ".key").toString()));
        words.addAll(List.of("--tls-ca", file(authority + ".crt").toString()));
        Path out = file("admin.out");
        int code = of.adminAnywhere(out, words.toArray(String[]::new));
        said = Files.readString(out);
        return code;
    }

    private static JsonArray nodes(BrokerProcess broker) {
        AdminInProcess.Answer answer =
                AdminInProcess.run("members", "--json", "--data", broker.data().toString());
        assertThat(answer.code()).as("%s", answer).isZero();
        return JsonParser.parseString(answer.text()).getAsJsonObject().getAsJsonArray("nodes");
    }

    /** What a node says that has met another cluster, from where the two sides say the same. */
    private static String advice(BrokerProcess node) throws IOException {
        boolean isTold = Await.comesToHold(PATIENCE, () -> node.said().contains(ADVICE));
        String log = node.said();
        assertThat(isTold).as(log).isTrue();
        int at = log.indexOf(ADVICE);
        assertThat(log).contains("two clusters in one environment");
        return log.substring(at, log.indexOf('\n', at));
    }

    private static void empty(Path data) throws IOException {
        try (Stream<Path> files = Files.walk(data)) {
            for (Path each :
                    files.sorted((left, right) -> right.compareTo(left)).toList()) {
                Files.delete(each);
            }
        }
    }

    /** Of every file that holds data, by its path. */
    private static Map<String, String> hashes(Path data) throws IOException, GeneralSecurityException {
        Map<String, String> hashes = new TreeMap<>();
        try (Stream<Path> files = Files.walk(data)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (!NOT_DATA.contains(file.getFileName().toString())) {
                    byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
                    hashes.put(data.relativize(file).toString(), HexFormat.of().formatHex(digest));
                }
            }
        }
        return hashes;
    }
}
