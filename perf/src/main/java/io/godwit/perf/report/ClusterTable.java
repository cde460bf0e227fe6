package io.godwit.perf.report;

import io.godwit.perf.load.RunResult;
import io.godwit.perf.published.PublishedReports;
import io.godwit.perf.published.PublishedRow;
import io.godwit.perf.published.PublishedTable;
import io.godwit.perf.scenario.Scenario;
import io.godwit.perf.scenario.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Collects runs on clusters that this tool has started, a row for each, with the published figures, the scaled load and
 * the figures reached. Used by one thread.
 */
public final class ClusterTable {
    private static final String NONE = "-";
    /** The columns of published tables for what a scenario carries per second; each table has one of them. */
    private static final List<String> RATES = List.of(
            "Total frequency (m/s)",
            "Message Throughput Rate",
            "Connection establishment rate",
            "Connection Handshake Rate",
            "Average throughput",
            "Fan-Out(Avg/Max)",
            "Fan-In(Avg/Max)",
            "Fan-In (Avg/Max)",
            "Publish rate (msg/sec)");

    private static final String P99 = "P99 response time(ms)";

    private static final List<String> COLUMNS = List.of(
            "scenario",
            "scale",
            "nodes",
            "voters",
            "published /s",
            "published p99 ms",
            "load here /s",
            "reached /s",
            "p99 ms",
            "CPU us per message",
            "lost");

    private final PublishedReports published;
    private final List<List<String>> rows = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();

    public ClusterTable(PublishedReports published) {
        this.published = published;
    }

    /**
     * Adds a run.
     *
     * @param nodes brokers of the cluster, whose CPU was measured together
     * @param voters of each range of stored sessions
     */
    public void add(RunResult result, int nodes, int voters) {
        Scenario scenario = result.scenario();
        rows.add(List.of(
                scenario.name() + (scenario.isCold() ? " --cold" : ""),
                RunColumns.plain(result.scale()),
                String.valueOf(nodes),
                String.valueOf(voters),
                publishedValue(result.published(), RATES),
                publishedValue(result.published(), List.of(P99)),
                load(scenario),
                rate(reached(result)),
                p99(result),
                result.cpuMicrosPerMessage() > 0
                        ? String.format(Locale.ROOT, "%.1f", result.cpuMicrosPerMessage())
                        : NONE,
                String.valueOf(lost(result))));
    }

    /** Adds a row for a scenario that could not be run. */
    public void addFailed(Scenario scenario, double scale, int nodes, int voters) {
        rows.add(List.of(
                scenario.name() + (scenario.isCold() ? " --cold" : ""),
                RunColumns.plain(scale),
                String.valueOf(nodes),
                String.valueOf(voters),
                publishedValue(scenario, RATES),
                publishedValue(scenario, List.of(P99)),
                load(scenario.scaled(scale)),
                "not run",
                NONE,
                NONE,
                NONE));
    }

    /** Adds a sentence below the table. */
    public void note(String note) {
        notes.add(note);
    }

    /** The rows and notes added so far. */
    public TableReport report() {
        return new TableReport("On a cluster of this machine", COLUMNS, rows, notes);
    }

    /** Deliveries that are missing and messages that could not be written. */
    public static long lost(RunResult result) {
        return result.delivery().lost() + result.delivery().notWritten();
    }

    private String publishedValue(Scenario scenario, List<String> columns) {
        for (PublishedTable table : published.tablesOf(scenario)) {
            for (PublishedRow row : table.rowsOf(scenario.name())) {
                for (String column : columns) {
                    int at = table.columns().indexOf(column);
                    if (at >= 0) {
                        return row.values().get(at);
                    }
                }
            }
        }
        return NONE;
    }

    private static String load(Scenario scenario) {
        double stated = scenario.isConnecting()
                ? scenario.connectRate()
                : isCountedOut(scenario) ? scenario.statedRateOut() : scenario.statedRateIn();
        return stated == 0 ? "the most" : rate(stated);
    }

    /**
     * The rate by the rules of the published tables: deliveries of a fan-out and of a random choice, else messages that
     * came in.
     */
    private static double reached(RunResult result) {
        if (result.scenario().isConnecting()) {
            return result.connectRate();
        }
        return isCountedOut(result.scenario()) ? result.rateOut() : result.rateIn();
    }

    private static boolean isCountedOut(Scenario scenario) {
        return scenario.topology() == Topology.FAN_OUT || scenario.topology() == Topology.RANDOM;
    }

    private static String rate(double value) {
        return String.format(Locale.ROOT, value < 100 ? "%.1f" : "%,.0f", value);
    }

    private static String p99(RunResult result) {
        double millis = result.scenario().isConnecting()
                ? result.connect().p99()
                : result.latency().p99();
        return millis == 0 ? NONE : String.format(Locale.ROOT, "%.2f", millis);
    }
}
