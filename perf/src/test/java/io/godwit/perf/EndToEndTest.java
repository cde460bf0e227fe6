package io.godwit.perf;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.certificates.TestAuthority;
import io.godwit.perf.cluster.FreePorts;
import io.godwit.perf.report.Verdict;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Small loads on a broker in a process with this test's class path, from the command line to the report. */
@Tag("slow")
class EndToEndTest {
    @TempDir
    private static Path home;

    private static final List<Integer> AT_ANY_RATE = List.of(Verdict.OK, Verdict.RATE_MISSED);

    private static BrokerProcess broker;
    private static int port;
    private static int wsPort;
    private static int wssPort;

    @TempDir
    private Path reports;

    @BeforeAll
    static void start() throws Exception {
        List<Integer> ports = FreePorts.choose(3);
        port = ports.get(0);
        wsPort = ports.get(1);
        wssPort = ports.get(2);
        TestAuthority authority = new TestAuthority("root");
        TestAuthority.write(home, "server", authority.issue("CN=server"));
        TestAuthority.writePem(home.resolve("root.crt"), authority.certificate());
        String config = """
                apiServerConfig: {enable: false}
                mqttServerConfig:
                  maxConnBandwidth: 0
                  tcpListener: {host: 127.0.0.1, port: %d}
                  wsListener: {enable: true, host: 127.0.0.1, port: %d}
                  wssListener:
                    enable: true
                    host: 127.0.0.1
                    port: %d
                    sslConfig: {certFile: server.crt, keyFile: server.key}
                """.formatted(port, wsPort, wssPort);
        broker = BrokerProcess.start(home, config, port);
    }

    @AfterAll
    static void stop() throws InterruptedException {
        broker.close();
    }

    private JsonObject run(int expectedCode, String... args) throws Exception {
        return runAt("127.0.0.1:" + port, List.of(expectedCode), args);
    }

    /**
     * A run for a test of what arrives. Whether the rate is reached depends on the machine: with other builds on it, it
     * may be missed within the second that a run lasts.
     */
    private JsonObject runAtAnyRate(String... args) throws Exception {
        return runAt("127.0.0.1:" + port, AT_ANY_RATE, args);
    }

    private JsonObject runAt(String address, List<Integer> expectedCodes, String... args) throws Exception {
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("--broker", address, "--out", reports.toString()));
        assertThat(Main.execute(all.toArray(String[]::new))).isIn(expectedCodes);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(reports, "*.json")) {
            Path json = files.iterator().next();
            assertThat(Path.of(json.toString().replace(".json", ".html"))).isNotEmptyFile();
            return new JsonObject(Files.readString(json));
        }
    }

    /** Every way in which messages go from publishers to subscribers. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "30_30_qos0_p32_10mps_1n",
                "30_30_qos1_p32_10mps_1n_1v",
                "30_30_qos1_p32_10mps_1n_1v --ack-delay 200ms",
                "30_30_qos2_p256_5mps_1n",
                "10_10_qos2_p32_5mps_1n_1v --ack-delay 200ms",
                "40_8_qos1_p256_5mps_1n --shared",
                "2_40_qos1_p256_5mps_1n",
                "20_20_qos1_p12_5mps_1n",
                "20_20_qos1_p4_5mps_1n"
            })
    void whatIsSentArrives(String arguments) throws Exception {
        List<String> args = new ArrayList<>(List.of("run"));
        args.addAll(List.of(arguments.split(" ")));
        args.addAll(List.of("--duration", "1s", "--warmup", "500ms"));

        JsonObject json = runAtAnyRate(args.toArray(String[]::new));

        JsonObject delivery = json.getJsonObject("delivery");
        assertThat(delivery.getLong("sent")).isPositive();
        assertThat(delivery.getLong("received")).isEqualTo(delivery.getLong("expected"));
        assertThat(delivery.getLong("lost")).isZero();
        assertThat(delivery.getLong("foreign")).isZero();
        if (!arguments.contains("_p12_") && !arguments.contains("_p4_")) {
            assertThat(json.getJsonObject("latencyMillis").getLong("count")).isPositive();
        }
    }

    @Test
    void whatIsSentOverWebSocketArrives() throws Exception {
        JsonObject json = runAt(
                "ws://127.0.0.1:" + wsPort,
                AT_ANY_RATE,
                "run",
                "30_30_qos1_p256_10mps_1n_1v",
                "--duration",
                "1s",
                "--warmup",
                "500ms");

        assertNothingIsLost(json);
    }

    /**
     * With messages that arrive in several pieces, from local addresses in rotation, with the broker's name verified in
     * its certificate.
     */
    @Test
    @Tag("full")
    void whatIsSentOverWebSocketWithTlsArrives() throws Exception {
        JsonObject json = runAt(
                "wss://127.0.0.1:" + wssPort + "/mqtt",
                AT_ANY_RATE,
                "run",
                "4_4_qos1_p100000_2mps_1n_1v",
                "--cafile",
                home.resolve("root.crt").toString(),
                "--ifaddrs",
                "127.0.0.1,127.0.0.2",
                "--duration",
                "1s",
                "--warmup",
                "2s");

        assertNothingIsLost(json);
    }

    private static void assertNothingIsLost(JsonObject json) {
        JsonObject delivery = json.getJsonObject("delivery");
        assertThat(delivery.getLong("sent")).isPositive();
        assertThat(delivery.getLong("acknowledged")).isEqualTo(delivery.getLong("sent"));
        assertThat(delivery.getLong("received")).isEqualTo(delivery.getLong("expected"));
        assertThat(delivery.getLong("lost")).isZero();
        assertThat(json.getJsonObject("errors").isEmpty()).isTrue();
    }

    @Test
    void aWebSocketThatIsRefusedIsSaidWithTheReason() throws Exception {
        String address = "ws://127.0.0.1:" + wsPort + "/elsewhere";
        JsonObject json =
                runAt(address, List.of(Verdict.FAULTS), "run", "conn-tcp-40-100_1n_true", "--duration", "500ms");

        assertThat(json.getJsonObject("connections").getInteger("connected")).isZero();
        assertThat(json.getJsonObject("errors").fieldNames())
                .anySatisfy(error -> assertThat(error).contains(address, "404"));
        long reported = json.getJsonObject("errors").stream()
                .mapToLong(error -> (Integer) error.getValue())
                .sum();
        assertThat(reported)
                .as("each error is reported by the relay and by its client")
                .isGreaterThanOrEqualTo(80);
        assertThat(lastSample(json).getLong("errors"))
                .as("the errors in the line of progress")
                .isEqualTo(reported);
        assertThat(CommandLineTest.errorsOf(
                        1, "pub", "--clients", "2", "--broker", address, "--out", reports.toString()))
                .contains("clients cannot connect", address, "404");
    }

    private static JsonObject lastSample(JsonObject json) {
        JsonArray samples = json.getJsonArray("samples");
        return samples.getJsonObject(samples.size() - 1);
    }

    @Test
    void aCertificateThatNobodyVouchesForIsSaid() {
        assertThat(CommandLineTest.errorsOf(
                        1,
                        "pub",
                        "--clients",
                        "2",
                        "--broker",
                        "wss://127.0.0.1:" + wssPort,
                        "--out",
                        reports.toString()))
                .contains("clients cannot connect: wss://127.0.0.1:" + wssPort);
    }

    @Test
    @Tag("full")
    void fanInWithABackgroundIsAcknowledged() throws Exception {
        JsonObject json =
                runAtAnyRate("run", "qos1-p256-200-0", "--background", "20", "--duration", "1s", "--warmup", "500ms");

        assertThat(json.getJsonObject("delivery").getLong("acknowledged"))
                .isEqualTo(json.getJsonObject("delivery").getLong("sent"));
        assertThat(json.getJsonObject("connections").getInteger("connected")).isEqualTo(40);
    }

    @Test
    void aClosedLoopReachesItsSubscribers() throws Exception {
        JsonObject json = runAtAnyRate("run", "rmqtt-30-3", "--duration", "1s", "--warmup", "500ms", "--window", "4");

        assertThat(json.getJsonObject("rates").getDouble("outPerSecond")).isPositive();
        assertThat(json.getJsonObject("delivery").getLong("lost")).isZero();
    }

    @Test
    @Tag("full")
    void aClosedLoopOfPairsGoesAsFastAsAcknowledgementsAllow() throws Exception {
        JsonObject json = runAtAnyRate(
                "run", "5_5_qos1_p32_0mps_1n_1v", "--duration", "1s", "--warmup", "500ms", "--window", "20");

        assertThat(json.getJsonObject("rates").getDouble("inPerSecond")).isGreaterThan(100);
        assertThat(json.getJsonObject("delivery").getLong("received"))
                .isEqualTo(json.getJsonObject("delivery").getLong("sent"));
    }

    /**
     * The broker has at most 1,000 messages under way to a client (sendMaximum), and the first is acknowledged only
     * after all have been published.
     */
    @Test
    @Tag("full")
    void theBrokerWaitsForAcknowledgementsThatAreLate() throws Exception {
        JsonObject json =
                run(4, "run", "1_1_qos1_p32_1500mps_1n_1v", "--ack-delay", "3s", "--duration", "1s", "--warmup", "0s");

        assertThat(json.getJsonObject("rates").getDouble("outPerSecond")).isBetween(900.0, 1_010.0);
        assertThat(json.getJsonObject("delivery").getLong("received"))
                .isEqualTo(json.getJsonObject("delivery").getLong("expected"));
        assertThat(json.getJsonArray("remarks")).contains("subscribers acknowledge 3,000 ms after each delivery");
    }

    @Test
    void connectionsAreMeasuredFromOpenToConnack() throws Exception {
        JsonObject json = runAtAnyRate("run", "conn-tcp-40-100_1n_true", "--duration", "500ms");

        assertThat(json.getJsonObject("connections").getInteger("connected")).isEqualTo(40);
        assertThat(json.getJsonObject("connections")
                        .getJsonObject("responseMillis")
                        .getLong("count"))
                .isEqualTo(40);
    }

    @Test
    void clientsThatConnectAndPublishAreThrough() throws Exception {
        JsonObject json = runAtAnyRate("run", "C50", "--duration", "500ms");

        assertThat(json.getJsonObject("delivery").getLong("sent")).isEqualTo(50);
        assertThat(json.getJsonObject("rates").getDouble("inPerSecond")).isPositive();
    }

    @Test
    void aSuiteSaysWhatItDidNotRun() throws Exception {
        assertThat(suite("C10k|conn-ssl|--cold")).isIn(Verdict.NOT_RUN, Verdict.RATE_MISSED);

        assertThat(Files.readString(reports.resolve("report.md")))
                .contains("not run: no --tls-broker was given", "not run: no --before was given")
                .containsPattern("C10k.*good");
    }

    @Test
    void whatASuiteIsToLeaveOutIsNotAskedFor() {
        assertThat(suite("C10k|conn-ssl|--cold", "--without", "tls,mtls,cold")).isIn(AT_ANY_RATE);
        assertThat(suite("conn-ssl", "--without", "tls")).isEqualTo(2);
    }

    @Test
    @Tag("full")
    void aColdStartWhoseBrokerIsNotStartedAgainIsNotRun() throws Exception {
        assertThat(suite("--cold", "--before", "exit 1")).isEqualTo(5);

        assertThat(Files.readString(reports.resolve("report.md")))
                .contains("not run: the command that restarts the broker has failed: exit 1");
    }

    /**
     * Whether the broker was restarted is read from the saved entry, and does not depend on the arguments of this run.
     */
    @Test
    @Tag("full")
    void aResumedSuiteTakesColdStartsOnlyThatWereOnes() throws Exception {
        String only = "^30k_30k_qos1_p256_1mps_3n_1v --cold$";
        int code = suite(only, "--before", "true");
        Path saved = onlyEntry();
        FileTime savedAt = Files.getLastModifiedTime(saved);

        assertThat(code).isIn(AT_ANY_RATE);
        assertThat(suite(only, "--resume")).isEqualTo(code);
        assertThat(Files.getLastModifiedTime(saved)).isEqualTo(savedAt);

        JsonObject entry = new JsonObject(Files.readString(saved));
        assertThat(entry.getBoolean("brokerRestarted")).isTrue();
        entry.remove("brokerRestarted");
        Files.writeString(saved, entry.encode());
        assertThat(suite(only, "--resume")).isEqualTo(5);
        assertThat(Files.readString(reports.resolve("report.md"))).contains("not run: no --before was given");

        assertThat(suite(only, "--resume", "--before", "true")).isIn(AT_ANY_RATE);
        assertThat(new JsonObject(Files.readString(saved)).getBoolean("brokerRestarted"))
                .isTrue();
    }

    @Test
    @Tag("full")
    void aResumedSuiteTakesWhatWasRunOfTheOthers() throws Exception {
        int code = suite("^C10k$");
        FileTime savedAt = Files.getLastModifiedTime(onlyEntry());

        assertThat(code).isIn(AT_ANY_RATE);
        assertThat(suite("^C10k$", "--resume")).isEqualTo(code);
        assertThat(Files.getLastModifiedTime(onlyEntry())).isEqualTo(savedAt);
    }

    private Path onlyEntry() throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(reports, "*.entry.json")) {
            return files.iterator().next();
        }
    }

    private int suite(String only, String... more) {
        List<String> all = new ArrayList<>(List.of("suite", "--only=" + only, "--broker", "127.0.0.1:" + port));
        all.addAll(List.of("--most-connections", "20", "--most-messages", "200", "--limit", "2m"));
        all.addAll(List.of("--duration", "1s", "--out", reports.toString()));
        all.addAll(List.of(more));
        return Main.execute(all.toArray(String[]::new));
    }

    /** A rate that no machine reaches: a hundred publishers with a million messages a second in total. */
    @Test
    @Tag("full")
    void aRateThatIsMissedIsSaid() throws Exception {
        JsonObject json = run(4, "run", "pub-4-1M", "--duration", "1s", "--warmup", "0s", "--drain", "10s");

        assertThat(json.getJsonArray("shortfalls")).isNotEmpty();
        assertThat(json.getJsonObject("delivery").getLong("unsent")).isPositive();
    }
}
