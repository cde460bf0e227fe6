package io.godwit.perf.rows;

import io.godwit.perf.report.TableReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** Builds the table of measured figures beside the figures to reach. */
final class RowTable {
    private static final String NONE = "-";
    private static final List<String> COLUMNS =
            List.of("row", "what", "compared with", "here", "unit", "figure", "target", "stretch", "reached", "lost");

    private RowTable() {}

    /** @param notes remarks to be added before the cautions and faults of {@code told} */
    static TableReport of(List<Row> rows, Measurements told, List<String> notes) {
        List<List<String>> cells = rows.stream().map(row -> cells(row, told)).toList();
        List<String> all = new ArrayList<>(notes);
        all.addAll(told.cautions());
        all.addAll(told.faults());
        return new TableReport("A cluster beside one node", COLUMNS, cells, all);
    }

    private static List<String> cells(Row row, Measurements told) {
        OptionalDouble figure = row.figure(told);
        Setup base = row.base();
        long lost = told.lost(row.setup(), row.load()) + (base == null ? 0 : told.lost(base, row.load()));
        return List.of(
                row.id(),
                row.title(),
                base == null ? NONE : cell(row, base, told),
                cell(row, row.setup(), told),
                row.value().unit(),
                figure.isPresent() ? figureText(row, figure.getAsDouble()) : NONE,
                bound(row, row.target()),
                bound(row, row.stretch()),
                figure.isPresent() ? row.verdict(figure.getAsDouble()) : "not measured",
                String.valueOf(lost));
    }

    private static String cell(Row row, Setup setup, Measurements told) {
        OptionalDouble value = told.median(setup, row.load(), row.value());
        return value.isPresent()
                ? row.value().text(value.getAsDouble()) + " (" + setup.describe() + ")"
                : NONE + " (" + setup.describe() + ")";
    }

    private static String figureText(Row row, double figure) {
        return row.comparison() == Row.Comparison.RATIO
                ? String.format(Locale.ROOT, "%.2f x", figure)
                : row.value().text(figure);
    }

    private static String bound(Row row, double bound) {
        return Double.isNaN(bound) ? NONE : figureText(row, bound);
    }
}
