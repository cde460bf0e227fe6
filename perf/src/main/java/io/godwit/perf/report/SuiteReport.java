package io.godwit.perf.report;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * All scenarios of a suite in one document: a section for each published table, with the published row and ours for
 * each scenario.
 */
public final class SuiteReport {
    /** The beginning of remarks that the tool, and not the broker, limits the figures. */
    public static final String TOOL_FULL = "the tool is the bottleneck: ";

    private final String title;
    private final List<String> about;
    private final List<Entry> entries;

    /**
     * A scenario of the suite.
     *
     * @param arguments as {@code perf.sh run} takes them
     * @param load the load that was run, in words; empty if it was not run
     * @param tables empty if it was not run
     * @param remarks faults, missed rates and reasons to doubt the figures; or why it was not run
     * @param report the file name of its own report beside this one; empty if there is none
     * @param wasRestarted whether the broker was restarted for it
     */
    public record Entry(
            String arguments,
            String load,
            double scale,
            int exitCode,
            List<ResultTable> tables,
            List<String> remarks,
            String latency,
            String report,
            boolean wasRestarted) {
        public Entry {
            tables = List.copyOf(tables);
            remarks = List.copyOf(remarks);
        }

        /** Whether the tool rather than the broker was at its limit. */
        boolean isToolFull() {
            return remarks.stream().anyMatch(remark -> remark.startsWith(TOOL_FULL));
        }

        public JsonObject toJson() {
            JsonArray tableArray = new JsonArray();
            for (ResultTable table : tables) {
                JsonArray published = new JsonArray();
                table.published().forEach(row -> published.add(new JsonArray(row)));
                tableArray.add(new JsonObject()
                        .put("id", table.tableId())
                        .put("title", table.title())
                        .put("columns", new JsonArray(table.columns()))
                        .put("values", new JsonArray(table.ours()))
                        .put("published", published));
            }
            return new JsonObject()
                    .put("arguments", arguments)
                    .put("load", load)
                    .put("scale", scale)
                    .put("exitCode", exitCode)
                    .put("tables", tableArray)
                    .put("remarks", new JsonArray(remarks))
                    .put("latency", latency)
                    .put("report", report)
                    .put("brokerRestarted", wasRestarted);
        }

        public static Entry of(JsonObject json) {
            List<ResultTable> tables = new ArrayList<>();
            for (Object element : json.getJsonArray("tables")) {
                JsonObject table = (JsonObject) element;
                List<List<String>> published = new ArrayList<>();
                table.getJsonArray("published").forEach(row -> published.add(texts((JsonArray) row)));
                tables.add(new ResultTable(
                        table.getString("id"),
                        table.getString("title"),
                        texts(table.getJsonArray("columns")),
                        texts(table.getJsonArray("values")),
                        published));
            }
            return new Entry(
                    json.getString("arguments"),
                    json.getString("load"),
                    json.getDouble("scale"),
                    json.getInteger("exitCode"),
                    tables,
                    texts(json.getJsonArray("remarks")),
                    json.getString("latency"),
                    json.getString("report"),
                    json.getBoolean("brokerRestarted", false)); // unknown in older entries, which counts as no
        }

        private static List<String> texts(JsonArray array) {
            return array.stream().map(String::valueOf).toList();
        }

        public boolean wasRun() {
            return !load.isEmpty();
        }
    }

    /** @param about the machine, the broker and the time, a line for each */
    public SuiteReport(String title, List<String> about, List<Entry> entries) {
        this.title = title;
        this.about = List.copyOf(about);
        this.entries = List.copyOf(entries);
    }

    private record Row(Entry entry, ResultTable table) {}

    /** The rows by the id of the published table, in the order of their first entries. */
    private Map<String, List<Row>> sections() {
        Map<String, List<Row>> sections = new LinkedHashMap<>();
        for (Entry entry : entries) {
            for (ResultTable table : entry.tables()) {
                sections.computeIfAbsent(table.tableId(), id -> new ArrayList<>())
                        .add(new Row(entry, table));
            }
        }
        return sections;
    }

    private String summary() {
        long run = entries.stream().filter(Entry::wasRun).count();
        long driven = entries.stream()
                .filter(e -> e.wasRun() && e.exitCode() == Verdict.OK && !e.isToolFull())
                .count();
        long undriven = entries.stream()
                .filter(e -> e.wasRun() && e.exitCode() == Verdict.OK && e.isToolFull())
                .count();
        long faults = entries.stream()
                .filter(e -> e.wasRun() && e.exitCode() == Verdict.FAULTS)
                .count();
        long missed = entries.stream()
                .filter(e -> e.wasRun() && e.exitCode() == Verdict.RATE_MISSED)
                .count();
        return Summary.text(
                "%d scenarios, %d run: %d without fault at the stated rate, %d without fault but with the tool "
                        + "at its limit, %d with faults, %d missed their rate, %d could not be run",
                entries.size(), run, driven, undriven, faults, missed, run - driven - undriven - faults - missed);
    }

    public String toHtml() {
        StringBuilder body = new StringBuilder();
        body.append("<h1>").append(SvgChart.escape(title)).append("</h1>\n<p class=\"sub\">");
        about.forEach(line -> body.append(SvgChart.escape(line)).append("<br>"));
        body.append("</p>\n<div class=\"verdict ")
                .append(entries.stream().allMatch(e -> e.exitCode() == Verdict.OK && !e.isToolFull()) ? "good" : "warn")
                .append("\">")
                .append(SvgChart.escape(summary()))
                .append("</div>\n");
        sections().forEach((id, rows) -> {
            body.append("<h2>")
                    .append(SvgChart.escape(rows.get(0).table().title()))
                    .append("</h2>\n<div class=\"card scroll\"><table>\n");
            List<String> header = new ArrayList<>(List.of(""));
            header.addAll(rows.get(0).table().columns());
            body.append(ReportPage.row("", "th", header));
            String last = "";
            for (Row row : rows) {
                if (!row.entry().arguments().equals(last)) {
                    row.table()
                            .published()
                            .forEach(published ->
                                    body.append(ReportPage.row("", "td", prefixed("published", published))));
                    last = row.entry().arguments();
                }
                body.append(ReportPage.row(
                        row.entry().exitCode() == Verdict.OK ? "ours" : "failed",
                        "td",
                        prefixed("ours", row.table().ours())));
            }
            body.append("</table></div>\n");
        });
        body.append("<h2>What was run</h2>\n<div class=\"card scroll\"><table>\n");
        body.append("<tr><th>perf.sh run</th><th class=\"text\">load</th><th>latency ms: mean, p99, max</th><th "
                + "class=\"text\">verdict</th></tr>\n");
        for (Entry entry : entries) {
            body.append(entry.exitCode() == Verdict.OK && entry.wasRun() ? "<tr><td>" : "<tr class=\"failed\"><td>");
            String arguments = SvgChart.escape(entry.arguments());
            body.append(
                    entry.report().isEmpty()
                            ? arguments
                            : "<a href=\"" + SvgChart.escape(entry.report()) + "\">" + arguments + "</a>");
            body.append("</td><td class=\"text\">").append(SvgChart.escape(entry.load()));
            body.append("</td><td>").append(SvgChart.escape(entry.latency()));
            body.append("</td><td class=\"text\">")
                    .append(SvgChart.escape(verdict(entry)))
                    .append("</td></tr>\n");
        }
        body.append("</table></div>\n");
        return ReportPage.of(title, body.toString());
    }

    public String toMarkdown() {
        StringBuilder text = new StringBuilder("# ").append(title).append("\n\n");
        about.forEach(line -> text.append(line).append("\n"));
        text.append("\n").append(summary()).append(".\n");
        sections().forEach((id, rows) -> {
            text.append("\n## ").append(rows.get(0).table().title()).append("\n\n");
            List<String> header = new ArrayList<>(List.of(""));
            header.addAll(rows.get(0).table().columns());
            text.append(markdown(header));
            text.append("|").append("---|".repeat(header.size())).append("\n");
            String last = "";
            for (Row row : rows) {
                if (!row.entry().arguments().equals(last)) {
                    row.table()
                            .published()
                            .forEach(published -> text.append(markdown(prefixed("published", published))));
                    last = row.entry().arguments();
                }
                text.append(markdown(prefixed("ours", row.table().ours())));
            }
        });
        text.append("\n## What was run\n\n| perf.sh run | load | latency ms: mean, p99, max | verdict "
                + "|\n|---|---|---|---|\n");
        for (Entry entry : entries) {
            text.append(markdown(List.of(entry.arguments(), entry.load(), entry.latency(), verdict(entry))));
        }
        return text.toString();
    }

    private static String verdict(Entry entry) {
        String remarks = String.join("; ", entry.remarks());
        if (!entry.wasRun()) {
            return "not run: " + remarks;
        }
        return entry.exitCode() == Verdict.OK ? (remarks.isEmpty() ? "good" : "good; " + remarks) : remarks;
    }

    private static List<String> prefixed(String first, List<String> rest) {
        List<String> cells = new ArrayList<>(List.of(first));
        cells.addAll(rest);
        return cells;
    }

    private static String markdown(List<String> cells) {
        StringBuilder row = new StringBuilder("|");
        cells.forEach(cell -> row.append(' ')
                .append(cell.replace("|", "\\|").replace("<", "&lt;"))
                .append(" |"));
        return row.append('\n').toString();
    }
}
