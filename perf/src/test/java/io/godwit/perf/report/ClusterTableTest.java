package io.godwit.perf.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.perf.load.check.DeliveryCounts;
import io.godwit.perf.published.PublishedReports;
import io.godwit.perf.scenario.Scenario;
import io.godwit.perf.scenario.ScenarioName;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterTableTest {
    private static final PublishedReports PUBLISHED = PublishedReports.load();

    private static Scenario scenario(String name) {
        return ScenarioName.parse(name).orElseThrow();
    }

    private static List<String> onlyRow(ClusterTable table) {
        assertThat(table.report().rows()).hasSize(1);
        return table.report().rows().get(0);
    }

    @Test
    void aRunStandsBesideWhatWasPublished() {
        ClusterTable table = new ClusterTable(PUBLISHED);
        // 0.5 cores for ten seconds and 150,000 deliveries
        table.add(Runs.of("15k_15k_qos1_p256_1mps_3n_3v").result(), 3, 3);

        assertThat(onlyRow(table))
                .containsExactly(
                        "15k_15k_qos1_p256_1mps_3n_3v",
                        "1",
                        "3",
                        "3",
                        "15k",
                        "134.15",
                        "15,000",
                        "15,000",
                        "9.75",
                        "33.3",
                        "0");
    }

    @Test
    void lossesAreWhatIsMissingAndWhatCouldNotBeWritten() {
        ClusterTable table = new ClusterTable(PUBLISHED);
        table.add(
                Runs.of("15k_15k_qos1_p256_1mps_3n_3v")
                        .delivery(new DeliveryCounts(10_000, 5, 0, 0, 10_000, 0, 10_000, 9_993, 7, 0, 0, 0, true))
                        .result(),
                3,
                3);

        assertThat(onlyRow(table)).last().isEqualTo("12");
    }

    @Test
    void aFanOutIsCountedByItsDeliveriesAndConnectionsByTheirRate() {
        ClusterTable fanOut = new ClusterTable(PUBLISHED);
        fanOut.add(Runs.of("1_300000_qos0_p256_1mps_3n").result(), 3, 3);
        assertThat(onlyRow(fanOut)).contains("300k", "300,000");

        ClusterTable connections = new ClusterTable(PUBLISHED);
        connections.add(Runs.of("rmqtt-conn-1M_3n").connectSeconds(200).result(), 3, 3);
        assertThat(onlyRow(connections)).contains("(5000-7000)/second", "the most", "5,000");
    }

    @Test
    void whatIsNotPublishedAndNotWatchedIsADash() {
        ClusterTable table = new ClusterTable(PUBLISHED);
        table.add(Runs.of("7k_7k_qos1_p99_3mps_3n").unwatched().result(), 3, 3);

        assertThat(onlyRow(table).get(4)).isEqualTo("-");
        assertThat(onlyRow(table).get(9)).isEqualTo("-");
    }

    @Test
    void aRunThatFailedHasItsRowToo() {
        ClusterTable table = new ClusterTable(PUBLISHED);
        table.addFailed(scenario("rmqtt-1M-40_3n"), 0.01, 3, 3);
        table.note("it was not to be");

        assertThat(onlyRow(table)).contains("0.01", "156,000/second", "the most", "not run");
        assertThat(table.report().toText()).endsWith("it was not to be\n");
    }

    @Test
    void columnsAreAsWideAsTheirWidestCell() {
        TableReport report = new TableReport("T", List.of("a", "bb"), List.of(List.of("long", "1")), List.of("n"));

        assertThat(report.toText()).isEqualTo("T\n| a    | bb |\n| long | 1  |\nn\n");
        assertThatThrownBy(() -> new TableReport("T", List.of("a"), List.of(List.of("1", "2")), List.of()))
                .hasMessageContaining("2 cells for 1 columns");
    }

    @Test
    void filesHaveTheSameCellsAndNothingFromElsewhere(@TempDir Path home) throws Exception {
        TableReport report =
                new TableReport("<T>", List.of("a"), List.of(List.of("<1>"), List.of("2")), List.of("noted"));

        report.write(home.resolve("new"), "stem");

        JsonObject json = new JsonObject(Files.readString(home.resolve("new/stem.json")));
        assertThat(json.getJsonArray("rows").getJsonArray(0).getString(0)).isEqualTo("<1>");
        assertThat(json.getJsonArray("notes").getString(0)).isEqualTo("noted");
        assertThat(home.resolve("new/stem.html"))
                .content()
                .contains("&lt;T&gt;", "<td>&lt;1&gt;</td>", "<td>2</td>", "noted")
                .doesNotContain("src=", "href=");
    }
}
