package io.godwit.perf.published;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.perf.scenario.Quantity;
import io.godwit.perf.scenario.Scenario;
import io.godwit.perf.scenario.ScenarioName;
import io.godwit.perf.scenario.Topology;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PublishedReportsTest {
    private static final PublishedReports REPORTS = PublishedReports.load();

    private static Stream<PublishedTable> tables() {
        return REPORTS.tables().stream();
    }

    @Test
    void allFiveReportsAreThere() {
        assertThat(REPORTS.reports())
                .extracting(PublishedReport::id)
                .containsExactly("bifromq", "emq-throughput", "emq-connections", "rmqtt", "mqtt-server");
        Set<String> scenarios = tables().flatMap(table ->
                        table.rows().stream().map(row -> table.arguments(row).toLowerCase(java.util.Locale.ROOT)))
                .collect(Collectors.toSet());
        assertThat(scenarios).hasSize(73);
    }

    @ParameterizedTest
    @MethodSource("tables")
    void everyNameParses(PublishedTable table) {
        assertThat(table.rows()).isNotEmpty();
        for (PublishedRow row : table.rows()) {
            assertThat(ScenarioName.parse(row.scenario())).as(row.scenario()).isPresent();
            assertThat(table.scenario(row).isCold()).isEqualTo(table.isCold());
        }
    }

    /** The columns beside the name agree with the scenario that is run. */
    @ParameterizedTest
    @MethodSource("tables")
    void theLoadIsWhatTheColumnsSay(PublishedTable table) {
        for (PublishedRow row : table.rows()) {
            Scenario scenario = table.scenario(row);
            check(table, row, "QoS", scenario.qos());
            check(table, row, "Payload (byte)", scenario.payloadBytes());
            check(table, row, "Single connection frequency(m/s)", scenario.ratePerPublisher());
            check(
                    table,
                    row,
                    "Total frequency (m/s)",
                    scenario.topology() == Topology.FAN_OUT ? scenario.statedRateOut() : scenario.statedRateIn());
            check(table, row, "Background Connection", scenario.background());
            checkTimes(table, row, "PUB Connection X Fan-In", scenario.publishers(), scenario.ratePerPublisher());
            if (scenario.subscribers() > 0) {
                double each = scenario.statedRateOut() / scenario.subscribers();
                checkTimes(table, row, "SUB Connection X Fan-Out", scenario.subscribers(), each);
            }
        }
    }

    private static void check(PublishedTable table, PublishedRow row, String column, double expected) {
        int at = table.columns().indexOf(column);
        if (at >= 0) {
            assertThat(Quantity.number(row.values().get(at)).orElseThrow())
                    .as(row.scenario() + " " + column)
                    .isEqualTo(expected);
        }
    }

    private static void checkTimes(
            PublishedTable table, PublishedRow row, String column, double connections, double rate) {
        int at = table.columns().indexOf(column);
        if (at >= 0) {
            String[] factors =
                    row.values().get(at).toLowerCase(java.util.Locale.ROOT).split(" x ", -1);
            assertThat(Quantity.number(factors[0]).orElseThrow())
                    .as(row.scenario() + " " + column)
                    .isEqualTo(connections);
            assertThat(Quantity.number(factors[1]).orElseThrow())
                    .as(row.scenario() + " " + column)
                    .isEqualTo(rate);
        }
    }

    @Test
    void aScenarioFindsItsTablesByNameAndKindOfSession() {
        Scenario warm = ScenarioName.parse("30k_30k_qos1_p256_1mps_3n_1v").orElseThrow();

        assertThat(REPORTS.tablesOf(warm))
                .extracting(PublishedTable::id)
                .containsExactly("bifromq-clean-false-low-frequency");
        assertThat(REPORTS.tablesOf(warm.with(s -> s.cold(true))))
                .extracting(PublishedTable::id)
                .containsExactly("bifromq-clean-false-cold");
        assertThat(REPORTS.tablesOf(warm.with(s -> s.cleanSession(true)))).isEmpty();
        assertThat(REPORTS.tablesOf(ScenarioName.parse("qos1-p1K-3-30K").orElseThrow()))
                .extracting(PublishedTable::id)
                .containsExactly("emq-qos1-fan-out", "emq-qos1-fan-out-resources");
    }

    @Test
    void argumentsSayWhatTheNameDoesNot() {
        PublishedTable shared = REPORTS.tables().stream()
                .filter(PublishedTable::isShared)
                .findFirst()
                .orElseThrow();
        PublishedTable cold = REPORTS.tables().stream()
                .filter(PublishedTable::isCold)
                .findFirst()
                .orElseThrow();

        assertThat(shared.arguments(shared.rows().get(0))).isEqualTo("100k_1000_qos0_p256_1mps_1n --shared");
        assertThat(cold.arguments(cold.rows().get(0))).isEqualTo("30k_30k_qos1_p256_1mps_3n_1v --cold");
    }
}
