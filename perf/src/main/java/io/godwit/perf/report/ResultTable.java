package io.godwit.perf.report;

import io.godwit.perf.load.RunResult;
import io.godwit.perf.published.PublishedReports;
import io.godwit.perf.published.PublishedRow;
import io.godwit.perf.published.PublishedTable;
import io.godwit.perf.scenario.Scenario;
import io.godwit.perf.scenario.Topology;
import java.util.ArrayList;
import java.util.List;

/**
 * A run in the columns of a published table, with the published rows of its scenario.
 *
 * @param tableId of the published table with these columns
 * @param published empty if the report has no such scenario
 */
public record ResultTable(
        String tableId, String title, List<String> columns, List<String> ours, List<List<String>> published) {
    private static final int LARGE_PAYLOAD = 64 * 1_024;

    public ResultTable {
        columns = List.copyOf(columns);
        ours = List.copyOf(ours);
        published = List.copyOf(published);
    }

    /**
     * The tables for a run: those that publish its scenario, or else those with the columns for its kind of scenario.
     */
    public static List<ResultTable> of(RunResult result, PublishedReports reports) {
        List<PublishedTable> tables = reports.tablesOf(result.published());
        List<PublishedTable> shown = tables.isEmpty() ? reports.tablesOfKinds(kinds(result.scenario())) : tables;
        List<ResultTable> results = new ArrayList<>();
        for (PublishedTable table : shown) {
            List<String> ours = table.columns().stream()
                    .map(column -> RunColumns.value(column, result).orElse("-"))
                    .toList();
            List<List<String>> published = table.rowsOf(result.scenario().name()).stream()
                    .map(PublishedRow::values)
                    .toList();
            results.add(new ResultTable(
                    table.id(),
                    table.report() + ": " + (tables.isEmpty() ? "not published, in its columns" : table.title()),
                    table.columns(),
                    ours,
                    tables.isEmpty() ? List.of() : published));
        }
        return results;
    }

    static List<String> kinds(Scenario scenario) {
        boolean isConnecting = scenario.topology() == Topology.CONNECTIONS;
        return switch (scenario.family()) {
            case BIFROMQ -> List.of(isConnecting ? "bifromq-connections" : "bifromq-messages");
            case EMQ ->
                switch (scenario.topology()) {
                    case CONNECTIONS -> List.of("emq-connections", "emq-connections-resources");
                    case FAN_IN -> List.of("emq-fan-in", "emq-fan-in-resources");
                    case SHARED -> List.of("emq-shared", "emq-shared-resources");
                    default -> List.of("emq-fan-out", "emq-fan-out-resources");
                };
            case RMQTT -> List.of(isConnecting ? "rmqtt-connections" : "rmqtt-messages");
            case MQTT_SERVER ->
                scenario.topology() != Topology.CONNECT_AND_PUBLISH
                        ? List.of("mqtt-server-publish")
                        : scenario.payloadBytes() >= LARGE_PAYLOAD
                                ? List.of("mqtt-server-connections", "mqtt-server-load")
                                : List.of("mqtt-server-connections");
            case FREE -> List.of(isConnecting ? "emq-connections" : "bifromq-messages");
        };
    }

    /** The table as text for a terminal. */
    public String toText() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(columns);
        rows.add(ours);
        rows.addAll(published);
        int[] widths = new int[columns.size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        StringBuilder text = new StringBuilder(title).append('\n');
        for (int r = 0; r < rows.size(); r++) {
            text.append(r == 0 ? "            | " : r == 1 ? "this run    | " : "published   | ");
            for (int i = 0; i < widths.length; i++) {
                text.append(rows.get(r).get(i))
                        .append(" ".repeat(widths[i] - rows.get(r).get(i).length()))
                        .append(" | ");
            }
            text.append('\n');
        }
        return text.toString();
    }
}
