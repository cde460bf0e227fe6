package io.godwit.perf;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.certificates.TestAuthority;
import io.godwit.perf.cluster.FreePorts;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections and messages over TLS and mutual TLS, from the command line to the report. */
@Tag("slow")
class TlsEndToEndTest {
    private static final String HOST = "127.0.0.1:";
    private static final int CLIENTS = 20;
    /** A rate so low that a busy machine keeps it in spite of handshakes. */
    private static final String TLS = "conn-ssl-" + CLIENTS + "-5";

    private static final String MUTUAL_TLS = "conn-dual-ssl-" + CLIENTS + "-5";
    private static final String TLS_AT_ONCE = "conn-ssl-" + CLIENTS + "-100";
    private static final String MUTUAL_TLS_AT_ONCE = "conn-dual-ssl-" + CLIENTS + "-100";

    @TempDir
    private static Path home;

    @TempDir
    private static Path mutualHome;

    private static BrokerProcess broker;
    private static BrokerProcess mutualBroker;
    private static int port;
    /** The port of a broker that only accepts clients with a certificate of {@code root}. */
    private static int mutualPort;

    @TempDir
    private Path reports;

    @BeforeAll
    static void start() throws Exception {
        List<Integer> ports = FreePorts.choose(4);
        port = ports.get(0);
        mutualPort = ports.get(1);
        TestAuthority authority = new TestAuthority("root");
        TestAuthority.write(home, "server", authority.issue("CN=server"));
        TestAuthority.write(home, "client", authority.issue("CN=client"));
        TestAuthority.writePem(home.resolve("root.crt"), authority.certificate());
        TestAuthority foreign = new TestAuthority("foreign");
        TestAuthority.write(home, "stranger", foreign.issue("CN=client"));
        TestAuthority.writePem(home.resolve("foreign.crt"), foreign.certificate());
        broker = BrokerProcess.start(home, config(ports.get(2), port, ""), port);
        String clientAuth = ", clientAuth: require, trustCertsFile: %s".formatted(file("root.crt"));
        mutualBroker = BrokerProcess.start(mutualHome, config(ports.get(3), mutualPort, clientAuth), mutualPort);
    }

    private static String config(int tcpPort, int tlsPort, String clientAuth) {
        return """
                apiServerConfig: {enable: false}
                mqttServerConfig:
                  maxConnBandwidth: 0
                  tcpListener: {host: 127.0.0.1, port: %d}
                  tlsListener:
                    enable: true
                    host: 127.0.0.1
                    port: %d
                    sslConfig: {certFile: %s, keyFile: %s%s}
                """.formatted(tcpPort, tlsPort, file("server.crt"), file("server.key"), clientAuth);
    }

    private static String file(String name) {
        return home.resolve(name).toString();
    }

    @AfterAll
    static void stop() throws InterruptedException {
        if (broker != null) {
            broker.close();
        }
        if (mutualBroker != null) {
            mutualBroker.close();
        }
    }

    private JsonObject run(String scenario, int at, int expectedCode, String... more) throws Exception {
        List<String> all = new ArrayList<>(List.of("run", scenario, "--broker", HOST + at));
        all.addAll(List.of(more));
        return execute(expectedCode, all.toArray(String[]::new));
    }

    private JsonObject execute(int expectedCode, String... args) throws Exception {
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("--out", reports.toString()));
        assertThat(Main.execute(all.toArray(String[]::new))).isEqualTo(expectedCode);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(reports, "*.json")) {
            return new JsonObject(Files.readString(files.iterator().next()));
        }
    }

    private static String[] client(String name, String... more) {
        List<String> all = new ArrayList<>(List.of("--cafile", file("root.crt")));
        all.addAll(List.of("--cert", file(name + ".crt"), "--key", file(name + ".key")));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    private static void assertAllAreConnected(JsonObject json) {
        JsonObject connections = json.getJsonObject("connections");
        assertThat(connections.getInteger("connected")).isEqualTo(CLIENTS);
        JsonObject response = connections.getJsonObject("responseMillis");
        assertThat(response.getLong("count")).isEqualTo(CLIENTS);
        assertThat(response.getDouble("min")).isPositive();
        assertThat(json.getJsonObject("errors").isEmpty()).isTrue();
    }

    private static void assertNoneIsConnected(JsonObject json) {
        JsonObject connections = json.getJsonObject("connections");
        assertThat(connections.getInteger("connected")).isZero();
        assertThat(connections.getInteger("failed")).isEqualTo(CLIENTS);
        assertThat(json.getJsonArray("faults")).isNotEmpty();
        assertThat(json.getJsonObject("errors").isEmpty()).isFalse();
    }

    @Test
    @Tag("full")
    void connectionsOverTlsAreMeasured() throws Exception {
        JsonObject json = run(TLS, port, 0, "--cafile", file("root.crt"), "--duration", "500ms");

        assertThat(json.getJsonObject("load").getString("security")).isEqualTo("tls");
        assertAllAreConnected(json);
    }

    /** Includes the TLS handshake: here each connection is accepted at once, and its first byte is forwarded later. */
    @Test
    void theResponseTimeIsFromTheOpeningOfTcp() throws Exception {
        long delayMillis = 300;
        Vertx vertx = Vertx.vertx();
        // both are held until the end: one that nobody holds is collected, and closes its connections
        NetClient onward = vertx.createNetClient();
        NetServer proxy = vertx.createNetServer().connectHandler(accepted -> {
            accepted.pause();
            vertx.setTimer(delayMillis, fired -> forward(onward, accepted));
        });
        try {
            proxy.listen(0, "127.0.0.1")
                    .toCompletionStage()
                    .toCompletableFuture()
                    .get(10, TimeUnit.SECONDS);

            JsonObject json = execute(
                    0,
                    "conn",
                    "--clients",
                    String.valueOf(CLIENTS),
                    "--rate",
                    "0",
                    "--tls",
                    "--cafile",
                    file("root.crt"),
                    "--duration",
                    "500ms",
                    "--broker",
                    HOST + proxy.actualPort());

            assertAllAreConnected(json);
            assertThat(json.getJsonObject("connections")
                            .getJsonObject("responseMillis")
                            .getDouble("min"))
                    .isGreaterThanOrEqualTo(delayMillis - 1.0);
        } finally {
            proxy.close();
            onward.close();
            vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        }
    }

    private static void forward(NetClient onward, NetSocket accepted) {
        onward.connect(port, "127.0.0.1")
                .onSuccess(towards -> {
                    accepted.pipeTo(towards);
                    towards.pipeTo(accepted);
                })
                .onFailure(cause -> accepted.close());
    }

    @Test
    void aBrokerOfAnotherAuthorityIsNotTrusted() throws Exception {
        JsonObject json = run(TLS_AT_ONCE, port, 3, "--cafile", file("foreign.crt"), "--duration", "500ms");

        assertNoneIsConnected(json);
        assertThat(json.getJsonObject("errors").fieldNames())
                .anySatisfy(error -> assertThat(error).containsIgnoringCase("certification path"));
    }

    @Test
    @Tag("full")
    void connectionsWithCertificatesAreMeasured() throws Exception {
        JsonObject json = run(MUTUAL_TLS, mutualPort, 0, client("client", "--duration", "500ms"));

        assertThat(json.getJsonObject("load").getString("security")).isEqualTo("mutual_tls");
        assertAllAreConnected(json);
    }

    @Test
    void connectionsWithoutCertificatesAreRefused() throws Exception {
        assertNoneIsConnected(run(TLS_AT_ONCE, mutualPort, 3, "--cafile", file("root.crt"), "--duration", "500ms"));
    }

    @Test
    void certificatesOfAnotherAuthorityAreRefused() throws Exception {
        assertNoneIsConnected(run(MUTUAL_TLS_AT_ONCE, mutualPort, 3, client("stranger", "--duration", "500ms")));
    }

    /** Small messages, and some that take several records of TLS each. */
    @ParameterizedTest
    @Tag("full")
    @ValueSource(strings = {"30_30_qos1_p256_10mps_1n_1v", "4_4_qos2_p100000_2mps_1n_1v"})
    void whatIsSentOverTlsArrives(String scenario) throws Exception {
        assertNothingIsLost(
                run(scenario, port, 0, "--tls", "--cafile", file("root.crt"), "--duration", "1s", "--warmup", "2s"));
    }

    @Test
    void whatIsSentOverMutualTlsArrives() throws Exception {
        assertNothingIsLost(run(
                "30_30_qos1_p256_10mps_1n_1v",
                mutualPort,
                0,
                client("client", "--tls", "--duration", "1s", "--warmup", "2s")));
    }

    private static void assertNothingIsLost(JsonObject json) {
        JsonObject delivery = json.getJsonObject("delivery");
        assertThat(delivery.getLong("sent")).isPositive();
        assertThat(delivery.getLong("acknowledged")).isEqualTo(delivery.getLong("sent"));
        assertThat(delivery.getLong("received")).isEqualTo(delivery.getLong("expected"));
        assertThat(delivery.getLong("lost")).isZero();
        assertThat(json.getJsonObject("errors").isEmpty()).isTrue();
    }

    /** Tests publishers and subscribers; a load needs both. */
    @Test
    void messagesAreNotSentToABrokerThatIsNotTrusted() {
        for (String[] trust : new String[][] {{"--cafile", file("foreign.crt")}, {}}) {
            List<String> all = new ArrayList<>(List.of("run", "2_2_qos1_p256_1mps_1n_1v", "--tls"));
            all.addAll(List.of("--broker", HOST + port, "--out", reports.toString()));
            all.addAll(List.of(trust));
            assertThat(CommandLineTest.errorsOf(1, all.toArray(String[]::new))).contains("clients cannot connect");
        }
    }

    @Test
    void messagesAreNotTakenFromClientsWithoutCertificates() {
        assertThat(CommandLineTest.errorsOf(
                        1,
                        "run",
                        "2_2_qos1_p256_1mps_1n_1v",
                        "--tls",
                        "--cafile",
                        file("root.crt"),
                        "--broker",
                        HOST + mutualPort,
                        "--out",
                        reports.toString()))
                .contains("clients cannot connect");
    }
}
