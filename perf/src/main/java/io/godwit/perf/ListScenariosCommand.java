package io.godwit.perf;

import io.godwit.perf.published.PublishedReport;
import io.godwit.perf.published.PublishedReports;
import io.godwit.perf.published.PublishedRow;
import io.godwit.perf.published.PublishedTable;
import io.godwit.perf.report.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code perf.sh list}: lists the published scenarios with their figures. */
@Command(
        name = "list",
        mixinStandardHelpOptions = true,
        description = "Lists the scenarios of published reports, as arguments of perf.sh run, with the published "
                + "figures beside.")
final class ListScenariosCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Parameters(arity = "0..1", paramLabel = "REGEX", description = "only those whose name or table has this")
    private String only = "";

    @Override
    public Integer call() {
        Pattern pattern;
        try {
            pattern = Pattern.compile(only, Pattern.CASE_INSENSITIVE);
        } catch (PatternSyntaxException e) {
            throw new ParameterException(spec.commandLine(), "not a regular expression: " + only, e);
        }
        boolean isFound = false;
        for (PublishedReport report : PublishedReports.load().reports()) {
            boolean isFirst = true;
            for (PublishedTable table : report.tables()) {
                List<PublishedRow> rows = table.rows().stream()
                        .filter(row -> pattern.matcher(row.scenario()).find()
                                || pattern.matcher(table.id()).find())
                        .toList();
                if (rows.isEmpty()) {
                    continue;
                }
                if (isFirst) {
                    System.out.println(report.title() + " (" + report.environment() + ")");
                    isFirst = false;
                }
                print(table, rows);
                isFound = true;
            }
        }
        if (!isFound) {
            System.err.println("perf.sh: no published scenario has '" + only + "' in its name or table");
            return Verdict.FAILED;
        }
        return Verdict.OK;
    }

    private static void print(PublishedTable table, List<PublishedRow> rows) {
        boolean isNamed = table.columns().get(0).startsWith("Scenario");
        List<List<String>> lines = new ArrayList<>();
        lines.add(line("run", table.columns(), isNamed));
        rows.forEach(row -> lines.add(line(table.arguments(row), row.values(), isNamed)));
        int[] widths = new int[lines.get(0).size()];
        for (List<String> line : lines) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], line.get(i).length());
            }
        }
        System.out.println("\n  " + table.title());
        for (List<String> line : lines) {
            StringBuilder text = new StringBuilder("    ");
            for (int i = 0; i < widths.length; i++) {
                text.append(line.get(i))
                        .append(" ".repeat(widths[i] - line.get(i).length() + 2));
            }
            System.out.println(text.toString().stripTrailing());
        }
        System.out.println();
    }

    /** The cells of a line; the arguments replace the name in the first column if the table has one. */
    private static List<String> line(String first, List<String> values, boolean isNamed) {
        List<String> line = new ArrayList<>();
        line.add(first);
        line.addAll(values.subList(isNamed ? 1 : 0, values.size()));
        return line;
    }
}
