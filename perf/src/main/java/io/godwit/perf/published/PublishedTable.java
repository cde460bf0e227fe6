package io.godwit.perf.published;

import io.godwit.perf.scenario.Scenario;
import io.godwit.perf.scenario.ScenarioName;
import io.godwit.perf.scenario.Topology;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A table of a published report.
 *
 * @param kind tables of one kind have the same columns
 * @param isClean the kind of session of all its scenarios; empty if their names say it
 */
public record PublishedTable(
        String report,
        String id,
        String title,
        String kind,
        Optional<Boolean> isClean,
        boolean isShared,
        boolean isCold,
        List<String> columns,
        List<PublishedRow> rows) {
    public PublishedTable {
        columns = List.copyOf(columns);
        rows = List.copyOf(rows);
        for (PublishedRow row : rows) {
            if (row.values().size() != columns.size()) {
                throw new IllegalArgumentException("row " + row.scenario() + " of " + id + " has "
                        + row.values().size() + " values for " + columns.size() + " columns");
            }
        }
    }

    /** The scenario of a row, with the settings of this table. */
    public Scenario scenario(PublishedRow row) {
        Scenario named = ScenarioName.parse(row.scenario())
                .orElseThrow(() -> new IllegalArgumentException("not a scenario: " + row.scenario()));
        return named.with(s -> s.cleanSession(isClean.orElse(named.isCleanSession()))
                .topology(isShared ? Topology.SHARED : named.topology())
                .cold(isCold));
    }

    /** The arguments of {@code perf.sh run} for a row's scenario. */
    public String arguments(PublishedRow row) {
        Scenario named = ScenarioName.parse(row.scenario()).orElseThrow();
        StringBuilder arguments = new StringBuilder(row.scenario());
        if (isClean.isPresent() && isClean.get() != named.isCleanSession()) {
            arguments.append(" --clean ").append(isClean.get());
        }
        if (isShared) {
            arguments.append(" --shared");
        }
        if (isCold) {
            arguments.append(" --cold");
        }
        return arguments.toString();
    }

    public List<PublishedRow> rowsOf(String scenario) {
        String wanted = scenario.toLowerCase(Locale.ROOT);
        return rows.stream()
                .filter(row -> row.scenario().toLowerCase(Locale.ROOT).equals(wanted))
                .toList();
    }
}
