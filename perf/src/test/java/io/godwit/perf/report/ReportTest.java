package io.godwit.perf.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.perf.load.RunResult;
import io.godwit.perf.load.measure.Phase;
import io.godwit.perf.load.measure.RunProgress;
import io.godwit.perf.load.measure.Sample;
import io.godwit.perf.load.measure.Spread;
import io.godwit.perf.published.PublishedReports;
import io.godwit.perf.published.PublishedTable;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.xml.sax.InputSource;

class ReportTest {
    private static final PublishedReports PUBLISHED = PublishedReports.load();

    private static Stream<PublishedTable> tables() {
        return PUBLISHED.tables().stream();
    }

    /** A published column without a value of ours would not be noticed otherwise. */
    @ParameterizedTest
    @MethodSource("tables")
    void everyPublishedColumnIsFilled(PublishedTable table) {
        RunResult result = Runs.of(table.scenario(table.rows().get(0))).result();

        for (String column : table.columns()) {
            assertThat(RunColumns.value(column, result))
                    .as(column)
                    .hasValueSatisfying(value -> assertThat(value).isNotBlank().isNotEqualTo("-"));
        }
    }

    @ParameterizedTest
    @MethodSource("tables")
    void everyPublishedScenarioHasItsTable(PublishedTable table) {
        RunResult result = Runs.of(table.scenario(table.rows().get(0))).result();

        assertThat(ResultTable.of(result, PUBLISHED)).anySatisfy(shown -> {
            assertThat(shown.tableId()).isEqualTo(table.id());
            assertThat(shown.published()).contains(table.rows().get(0).values());
            assertThat(shown.ours()).hasSameSizeAs(table.columns());
        });
    }

    @Test
    void aRunStandsInThePublishedColumns() {
        RunResult result = Runs.of("4k_4k_qos1_p32_100mps_3n").result();

        ResultTable table = ResultTable.of(result, PUBLISHED).get(0);

        assertThat(table.ours())
                .startsWith("4k_4k_qos1_p32_100mps_3n", "1", "100", "32", "8k", "400k", "1.50", "9.75")
                .endsWith("0.10 ~ 0.31");
        assertThat(table.toText()).contains("this run    | 4k_4k", "published   | 4k_4k", "55.85");
    }

    @Test
    void aScenarioThatNobodyPublishedHasTheColumnsOfItsKind() {
        List<ResultTable> tables =
                ResultTable.of(Runs.of("7k_7k_qos1_p99_3mps_1n").result(), PUBLISHED);

        assertThat(tables).singleElement().satisfies(table -> {
            assertThat(table.columns()).contains("P99 response time(ms)");
            assertThat(table.title()).contains("not published").doesNotContain("cleanSession");
            assertThat(table.published()).isEmpty();
        });
    }

    @Test
    void theHtmlNeedsNothingFromElsewhere() throws Exception {
        String html = html(Runs.of("1k_1k_qos1_p256_1mps_1n").remark("<script>alert(1)</script>"));

        assertThat(html)
                .contains("Messages per second", "Latency, mean", "Latency, p99", "Latency, maximum")
                .contains("CPU of the broker", "Memory of the broker", "Nothing was lost")
                .contains("&lt;script&gt;")
                .doesNotContain("<script", "src=", "href=", "@import", "url(");
        int from = 0;
        int charts = 0;
        while ((from = html.indexOf("<svg", from)) >= 0) {
            int to = html.indexOf("</svg>", from) + "</svg>".length();
            DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(new InputSource(new StringReader(html.substring(from, to))));
            from = to;
            charts++;
        }
        assertThat(charts).isEqualTo(8);
    }

    @Test
    void connectionTestsHaveChartsOfTheirOwn() {
        assertThat(html(Runs.of("conn-tcp-1M-5K_1n_true")))
                .contains("Connections open", "TCP open to CONNACK, p99 and maximum")
                .doesNotContain("Latency, p99");
    }

    @Test
    void aBottleneckOfTheToolIsSaidLoudly() {
        RunResult result = Runs.of("1k_1k_qos1_p256_1mps_1n")
                .bottleneck("its event loop is full")
                .result();

        assertThat(TextReport.of(result, Verdict.of(result), List.of()))
                .contains("THE TOOL IS THE BOTTLENECK: its event loop is full");
    }

    @Test
    void anUnwatchedBrokerHasNoFiguresRatherThanZeros() {
        Runs run = Runs.of("1k_1k_qos1_p256_1mps_1n").unwatched();

        assertThat(html(run)).doesNotContain("CPU of the broker");
        assertThat(RunColumns.value("CPU", run.result())).contains("-");
        assertThat(RunColumns.value("Memory (GB)", run.result())).contains("-");
    }

    @Test
    void aBrokerElsewhereHasCoresOfItsOwn() {
        RunResult result = Runs.of("1k_1k_qos1_p256_1mps_1n").brokerElsewhere(4).result();

        assertThat(RunColumns.value("CPU", result)).contains("13%");
        assertThat(RunColumns.value("Load", result)).contains("-");
    }

    @Test
    void theJsonHasAllFigures() {
        RunResult result = Runs.of("1k_1k_qos1_p256_1mps_1n").scale(0.5).result();
        JsonObject json = new JsonObject(JsonReport.of(result, Verdict.of(result), ResultTable.of(result, PUBLISHED)));

        assertThat(json.getDouble("scale")).isEqualTo(0.5);
        assertThat(json.getInteger("exitCode")).isZero();
        assertThat(json.getJsonObject("latencyMillis").getDouble("p99")).isEqualTo(9.75);
        assertThat(json.getJsonObject("delivery").getLong("lost")).isZero();
        assertThat(json.getJsonArray("samples")).hasSize(4);
        assertThat(json.getJsonObject("rates").getDouble("inPerSecond")).isEqualTo(1_000);
    }

    @Test
    void theProgressLineHasRatesQuantilesErrorsAndTheTimeLeft() {
        RunResult result = Runs.of("1k_1k_qos1_p256_1mps_1n").result();
        RunProgress progress = new RunProgress(
                result.samples().get(2).phase(), result.samples().get(2), 2_000, true, 17.2);

        assertThat(ProgressLine.text(progress))
                .contains("in 1,000/s", "out 1,000/s", "p50 1.25", "p99 9.75", "errors 0", "ETA 17 s");
    }

    @Test
    void aStallIsShownAsNothingFlowing() {
        Sample stalled =
                stalled(Runs.of("1k_1k_qos1_p256_1mps_1n").result().samples().get(2));

        assertThat(ProgressLine.text(new RunProgress(Phase.MEASURE, stalled, 2_000, true, 9)))
                .contains("in 0/s", "out 0/s")
                .doesNotContain("connected");
        assertThat(ProgressLine.text(new RunProgress(Phase.MEASURE, stalled, 2_000, false, 9)))
                .contains("of 2,000 connected");
        assertThat(ProgressLine.text(new RunProgress(Phase.CONNECT, stalled, 2_000, true, 9)))
                .contains("of 2,000 connected");
    }

    private static Sample stalled(Sample sample) {
        return new Sample(
                sample.atSeconds(),
                sample.phase(),
                sample.connections(),
                sample.connectRate(),
                0,
                0,
                0,
                new Spread(0, 0, 0, 0, 0, 0, 0, 0, 0),
                sample.connect(),
                sample.latenessP99(),
                sample.errors(),
                sample.brokerCores(),
                sample.brokerBytes(),
                sample.toolCores(),
                sample.busiestLoop(),
                sample.machine());
    }

    @Test
    void aTerminalHasOneLineAndAFileSome() {
        RunProgress progress = new RunProgress(
                Phase.MEASURE,
                Runs.of("1k_1k_qos1_p256_1mps_1n").result().samples().get(1),
                2,
                true,
                1);
        ByteArrayOutputStream terminal = new ByteArrayOutputStream();
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        ProgressLine line = new ProgressLine(new PrintStream(terminal, true, StandardCharsets.UTF_8), true);
        ProgressLine lines = new ProgressLine(new PrintStream(file, true, StandardCharsets.UTF_8), false);
        for (int i = 0; i < 6; i++) {
            line.accept(progress);
            lines.accept(progress);
        }

        assertThat(terminal.toString(StandardCharsets.UTF_8))
                .doesNotContain("\n")
                .contains("\r");
        assertThat(file.toString(StandardCharsets.UTF_8).lines()).hasSize(2);
    }

    @Test
    void aSuiteHasOursBesideThePublishedAndSaysWhatWasNotRun() {
        RunResult result = Runs.of("15k_15k_qos1_p256_1mps_1n_1v").scale(0.01).result();
        SuiteReport.Entry run = new SuiteReport.Entry(
                "15k_15k_qos1_p256_1mps_1n_1v",
                "150 publishers",
                0.01,
                0,
                ResultTable.of(result, PUBLISHED),
                List.of(),
                "1, 2, 3",
                "a.html",
                false);
        SuiteReport.Entry left = new SuiteReport.Entry(
                "conn-ssl-100K-500", "", 0.01, 0, List.of(), List.of("no --tls-broker was given"), "", "", false);
        SuiteReport report = new SuiteReport(
                "All",
                List.of("a machine"),
                List.of(SuiteReport.Entry.of(run.toJson()), SuiteReport.Entry.of(left.toJson())));

        assertThat(report.toMarkdown())
                .contains("| published | 15k_15k_qos1_p256_1mps_1n_1v | 1 | 1 | 256 | 20k | 15k | 5.75 | 113.21 "
                        + "| 60% | 5~20 |")
                .contains("| ours | 15k_15k_qos1_p256_1mps_1n_1v x0.01 |")
                .contains("not run: no --tls-broker was given")
                .contains("2 scenarios, 1 run: 1 without fault");
        assertThat(report.toHtml()).contains("<a href=\"a.html\">", "no --tls-broker was given");
    }

    @Test
    void aRunThatTheToolCouldNotDriveIsNotCountedAsOneOfTheBroker() {
        SuiteReport.Entry undriven = new SuiteReport.Entry(
                "15k_15k_qos1_p256_1mps_1n_1v",
                "150 publishers",
                0.01,
                0,
                List.of(),
                List.of(SuiteReport.TOOL_FULL + "its event loops"),
                "1, 2, 3",
                "a.html",
                false);
        SuiteReport report = new SuiteReport("All", List.of("a machine"), List.of(undriven));

        assertThat(report.toMarkdown())
                .contains("0 without fault at the stated rate, 1 without fault but with the tool at its limit");
        assertThat(report.toHtml()).contains("class=\"verdict warn\"");
    }

    @Test
    void aColdStartIsSteadyFromWhereRateAndLatencyStay() {
        RunResult result = Runs.of("1k_1k_qos1_p256_1mps_1n").result();

        // 900 of 1,000 stated in the first measured second, all of them in the second one
        assertThat(Steadiness.secondsUntilSteady(result)).isEqualTo(1);
    }

    private static String html(Runs run) {
        RunResult result = run.result();
        return HtmlReport.of(result, Verdict.of(result), ResultTable.of(result, PUBLISHED));
    }
}
