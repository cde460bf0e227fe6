package io.godwit.perf.published;

import io.godwit.perf.scenario.Scenario;
import io.godwit.perf.scenario.Topology;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The reports in {@code published.yml}, which is the only place with their figures. */
public final class PublishedReports {
    private static final String FILE = "published.yml";

    private final List<PublishedReport> reports;

    private PublishedReports(List<PublishedReport> reports) {
        this.reports = List.copyOf(reports);
    }

    public static PublishedReports load() {
        try (InputStream in = PublishedReports.class.getResourceAsStream(FILE)) {
            if (in == null) {
                throw new IllegalStateException(FILE + " is missing in this build");
            }
            Map<?, ?> root = new Yaml(new SafeConstructor(new LoaderOptions())).load(in);
            List<PublishedReport> reports = new ArrayList<>();
            for (Object report : list(root, "reports")) {
                reports.add(report((Map<?, ?>) report));
            }
            return new PublishedReports(reports);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static PublishedReport report(Map<?, ?> from) {
        String title = text(from, "title");
        List<PublishedTable> tables = new ArrayList<>();
        for (Object table : list(from, "tables")) {
            tables.add(table(title, (Map<?, ?>) table));
        }
        return new PublishedReport(text(from, "id"), title, text(from, "environment"), tables);
    }

    private static PublishedTable table(String report, Map<?, ?> from) {
        Map<?, ?> run = from.get("run") instanceof Map<?, ?> map ? map : Map.of();
        List<PublishedRow> rows = new ArrayList<>();
        for (Object row : list(from, "rows")) {
            Map<?, ?> fields = (Map<?, ?>) row;
            rows.add(new PublishedRow(text(fields, "scenario"), texts(list(fields, "values"))));
        }
        return new PublishedTable(
                report,
                text(from, "id"),
                text(from, "title"),
                text(from, "kind"),
                run.get("clean") instanceof Boolean isClean ? Optional.of(isClean) : Optional.empty(),
                Boolean.TRUE.equals(run.get("shared")),
                Boolean.TRUE.equals(run.get("cold")),
                texts(list(from, "columns")),
                rows);
    }

    private static String text(Map<?, ?> from, String key) {
        return String.valueOf(required(from, key));
    }

    private static List<?> list(Map<?, ?> from, String key) {
        return (List<?>) required(from, key);
    }

    private static Object required(Map<?, ?> from, String key) {
        @Nullable Object value = from.get(key);
        if (value == null) {
            throw new IllegalStateException(FILE + ": no " + key + " in " + from.keySet());
        }
        return value;
    }

    private static List<String> texts(List<?> from) {
        return from.stream().map(String::valueOf).toList();
    }

    public List<PublishedReport> reports() {
        return reports;
    }

    public List<PublishedTable> tables() {
        return reports.stream().flatMap(report -> report.tables().stream()).toList();
    }

    /** The tables with rows of this scenario: of the same name, kind of session and start. */
    public List<PublishedTable> tablesOf(Scenario scenario) {
        return tables().stream()
                .filter(table -> !table.rowsOf(scenario.name()).isEmpty())
                .filter(table -> table.isCold() == scenario.isCold())
                .filter(table -> table.isClean()
                        .map(isClean -> isClean == scenario.isCleanSession())
                        .orElse(true))
                .filter(table -> table.isShared() == (scenario.topology() == Topology.SHARED)
                        || table.isClean().isEmpty())
                .toList();
    }

    /** The first table of each of {@code kinds}, for its columns. */
    public List<PublishedTable> tablesOfKinds(List<String> kinds) {
        return kinds.stream()
                .flatMap(kind -> tables().stream()
                        .filter(table -> table.kind().equals(kind))
                        .limit(1))
                .toList();
    }
}
