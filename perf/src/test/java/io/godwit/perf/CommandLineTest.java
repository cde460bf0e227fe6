package io.godwit.perf;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.perf.option.Durations;
import io.godwit.perf.option.LoadOptions;
import io.godwit.perf.published.PublishedReports;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The reactions of {@code bin/perf.sh} to arguments, without a broker. */
class CommandLineTest {
    @TempDir
    private Path home;

    static String errorsOf(int expectedCode, String... args) {
        PrintStream error = System.err;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
        try {
            assertThat(Main.execute(args)).isEqualTo(expectedCode);
        } finally {
            System.setErr(error);
        }
        return said.toString(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "run", "list", "suite", "pub", "sub", "conn", "curves", "cluster", "cluster run"})
    void theVersionIsTold(String command) {
        PrintStream before = System.out;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
        try {
            assertThat(Main.execute((command + " --version").strip().split(" ")))
                    .isZero();
        } finally {
            System.setOut(before);
        }
        assertThat(said.toString(StandardCharsets.UTF_8)).startsWith("perf.sh of Godwit ");
    }

    @Test
    void aNameWithoutFormIsRefused() {
        assertThat(errorsOf(2, "run", "nonsense")).contains("'nonsense' is not the name of a scenario");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "2", "-1", "much"})
    void aScaleOutOfBoundsIsRefused(String scale) {
        assertThat(errorsOf(2, "run", "C10k", "--scale", scale)).contains("scale");
    }

    @Test
    void allBrokersAreReachedInTheSameWay() {
        assertThat(errorsOf(2, "run", "C10k", "--broker", "ws://a,b:1883")).contains("over WebSocket or none");
        assertThat(errorsOf(2, "run", "C10k", "--broker", "ws://a,wss://b")).contains("ws:// is without TLS");
        assertThat(errorsOf(2, "run", "C10k", "--broker", "ws://a", "--tls")).contains("ws:// is without TLS");
        assertThat(errorsOf(2, "run", "C10k", "--broker", "http://a")).contains("ws://host:port/path");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "65536"})
    void aKeepAliveThatCannotBeToldIsRefused(String seconds) {
        assertThat(errorsOf(2, "conn", "--keep-alive", seconds)).contains("keep-alive must be 0 to 65535 seconds");
    }

    /** The command fails only when it finds no broker. */
    @Test
    void noKeepAliveIsAsGoodAsAnyOther() {
        assertThat(errorsOf(
                        1, "pub", "-c", "2", "--keep-alive", "0", "--broker", "127.0.0.1:1", "--out", home.toString()))
                .contains("clients cannot connect");
    }

    @ParameterizedTest
    @ValueSource(strings = {"run 5_5_qos0_p32_1mps_1n", "run qos1-p256-200-0", "run C10k", "sub"})
    void aDelayOfAcknowledgementsNeedsDeliveriesThatAreAcknowledged(String command) {
        String[] args = (command + " --ack-delay 50ms").split(" ");

        assertThat(errorsOf(2, args)).contains("--ack-delay: nothing is delivered with QoS 1 or 2");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "conn-tcp-1M-5K_1n_true --background 1000",
                "C10k --background 1000",
                "C10k --shared",
                "rmqtt-conn-1M_1n --shared",
                "qos0-p256-40K-0 --shared"
            })
    void whatMakesAnotherLoadOfANameIsRefused(String arguments) {
        assertThat(errorsOf(2, ("run " + arguments).split(" ")))
                .contains(arguments.contains("--shared") ? "--shared: " : "--background: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"qos0-p256-40K-1K", "qos0-p256-0-40K", "qos0-p256-0-0", "qos0-p256-3-40K"})
    void ratesThatDoNotGoTogetherAreRefused(String name) {
        assertThat(errorsOf(2, "run", name)).contains("'" + name + "': ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost:9090/metrics", "/metrics", "ftp://localhost/metrics"})
    void whatIsNoAddressOfMetricsIsRefused(String url) {
        assertThat(errorsOf(2, "conn", "--broker-metrics", url)).contains("http://host:port/metrics");
    }

    @Test
    void metricsThatNobodyTellsAreRefused() {
        assertThat(errorsOf(2, "conn", "--broker-metrics", "http://127.0.0.1:1/metrics"))
                .contains("no answer");
        assertThat(errorsOf(2, "conn", "--broker-cores", "0")).contains("--broker-cores must be at least 1");
    }

    @Test
    void loadsThatCannotBeAreRefusedBeforeTheFirst() {
        Path restarted = home.resolve("restarted");
        assertThat(errorsOf(2, "run", "C10k", "--scale", "0", "--before", "touch " + restarted))
                .contains("scale");
        assertThat(restarted).doesNotExist();
        assertThat(errorsOf(2, "curves", "--duration", "100ms")).contains("duration (at least 0.5 s)");
        assertThat(errorsOf(2, "curves", "--connect-rate", "0")).contains("connect rate");
        assertThat(errorsOf(2, "suite", "--connect-rate", "0")).contains("connect rate");
    }

    /** The duration comes from the time left for the suite, not from the option. */
    @Test
    void whatIsComputedWinsOverTheOption() {
        LoadOptions options = new LoadOptions();
        new CommandLine(options).parseArgs("--duration", "30s");

        assertThat(options.settings(true, Duration.ZERO, Duration.ofSeconds(3)).duration())
                .isEqualTo(Duration.ofSeconds(3));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a/#", "a/+", ""})
    void nobodyPublishesToAWildcard(String topic) {
        assertThat(errorsOf(2, "pub", "-t", topic)).contains("--topic");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a/#/b", "a+", ""})
    void aFilterThatNoBrokerTakesIsRefused(String filter) {
        assertThat(errorsOf(2, "sub", "-t", filter)).contains("--topic");
    }

    @Test
    void mutualTlsNeedsACertificate() {
        assertThat(errorsOf(2, "run", "conn-dual-ssl-100K-500", "--scale", "0.01"))
                .contains("--cert and --key");
    }

    @Test
    void aCertificateThatCannotBeReadIsNamed() throws Exception {
        Path text = Files.writeString(home.resolve("no.pem"), "no certificate");

        assertThat(errorsOf(
                        2, "conn", "--tls", "--cafile", home.resolve("none.pem").toString()))
                .contains("none.pem");
        assertThat(errorsOf(2, "conn", "--tls", "--cert", text.toString(), "--key", text.toString(), "--insecure"))
                .contains("certificates cannot be used");
        assertThat(errorsOf(2, "conn", "--cert", text.toString(), "--key", text.toString()))
                .contains("goes over plain TCP");
    }

    @Test
    void aProcessThatIsNotThereIsNamed() {
        assertThat(errorsOf(2, "conn", "--broker-pid", "4194304000")).contains("no such process");
    }

    @Test
    void moreConnectionsThanThisProcessMayHaveAreRefusedBeforeTheFirst() {
        assertThat(errorsOf(1, "run", "conn-tcp-9M-5K_1n_true", "--broker", "127.0.0.1:1"))
                .contains("9,000,000 connections", "--scale");
    }

    @Test
    void aBrokerThatIsNotThereIsAFailedRun() {
        assertThat(errorsOf(1, "pub", "--clients", "2", "--broker", "127.0.0.1:1", "--out", home.toString()))
                .contains("clients cannot connect");
    }

    @Test
    void aCommandBeforeTheRunThatFailsEndsIt() {
        assertThat(errorsOf(1, "run", "C10k", "--before", "exit 3")).contains("the command before the run has failed");
    }

    @Test
    void theListHasEveryScenarioWithItsFigures() {
        PrintStream out = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            assertThat(Main.execute("list")).isZero();
        } finally {
            System.setOut(out);
        }
        String list = printed.toString(StandardCharsets.UTF_8);
        for (var table : PublishedReports.load().tables()) {
            for (var row : table.rows()) {
                assertThat(list.lines()).anySatisfy(line -> {
                    assertThat(line.strip()).startsWith(table.arguments(row));
                    row.values().stream()
                            .skip(table.columns().get(0).startsWith("Scenario") ? 1 : 0)
                            .forEach(value -> assertThat(line).contains(value));
                });
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"30, 30000", "30s, 30000", "500ms, 500", "2m, 120000", "1h, 3600000"})
    void timesAreReadAsUsersWriteThem(String text, long millis) {
        assertThat(new Durations().convert(text)).isEqualTo(Duration.ofMillis(millis));
    }

    @Test
    void theSuiteHasEveryScenarioOnceAndFitsTheMachineAndTheTime() {
        SuitePlan.Room room = SuitePlan.Room.of(2);
        var items = SuitePlan.of(PublishedReports.load(), room);

        assertThat(items).hasSize(73).extracting(SuitePlan.Item::stem).doesNotHaveDuplicates();
        assertThat(items).allSatisfy(item -> {
            var scenario = item.scenario();
            assertThat(scenario.connections()).isLessThanOrEqualTo(room.connections() + 50);
            assertThat(scenario.statedRateIn() + scenario.statedRateOut())
                    .isLessThanOrEqualTo(room.messagesPerSecond() * 1.05 + 20);
        });
        double seconds = items.stream()
                .mapToDouble(item -> SuitePlan.seconds(item, 1_000, 2, 6))
                .sum();
        assertThat(seconds).isLessThan(20 * 60);
    }
}
