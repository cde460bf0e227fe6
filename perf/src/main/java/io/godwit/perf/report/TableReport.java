package io.godwit.perf.report;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A table of several runs, as text, HTML and JSON. Immutable.
 *
 * @param rows each with a cell for each column
 * @param notes remarks on the figures, a sentence each
 */
public record TableReport(String title, List<String> columns, List<List<String>> rows, List<String> notes) {
    public TableReport {
        columns = List.copyOf(columns);
        rows = rows.stream().map(List::copyOf).toList();
        notes = List.copyOf(notes);
        for (List<String> row : rows) {
            if (row.size() != columns.size()) {
                throw new IllegalArgumentException(
                        title + ": " + row.size() + " cells for " + columns.size() + " columns: " + row);
            }
        }
    }

    /** The table as text for a terminal, followed by the notes. */
    public String toText() {
        int[] widths = columns.stream().mapToInt(String::length).toArray();
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        StringBuilder text = new StringBuilder(title).append('\n');
        text.append(line(columns, widths));
        rows.forEach(row -> text.append(line(row, widths)));
        notes.forEach(note -> text.append(note).append('\n'));
        return text.toString();
    }

    private static String line(List<String> cells, int[] widths) {
        StringBuilder line = new StringBuilder("|");
        for (int i = 0; i < widths.length; i++) {
            line.append(' ')
                    .append(cells.get(i))
                    .append(" ".repeat(widths[i] - cells.get(i).length()))
                    .append(" |");
        }
        return line.append('\n').toString();
    }

    /** A self-contained page. */
    String toHtml() {
        StringBuilder body =
                new StringBuilder("<h1>").append(SvgChart.escape(title)).append("</h1>\n<p class=\"sub\">");
        body.append(SvgChart.escape(Environment.describe()))
                .append("</p>\n<div class=\"card scroll\"><table>\n")
                .append(ReportPage.row("", "th", columns));
        rows.forEach(row -> body.append(ReportPage.row("", "td", row)));
        body.append("</table></div>\n");
        if (!notes.isEmpty()) {
            body.append("<h2>Notes</h2>\n<div class=\"card\">")
                    .append(ReportPage.list(notes))
                    .append("</div>\n");
        }
        return ReportPage.of(title, body.toString());
    }

    /** The table as JSON, with the cells as they are printed. */
    String toJson() {
        JsonArray array = new JsonArray();
        rows.forEach(row -> array.add(new JsonArray(row)));
        return new JsonObject()
                        .put("title", title)
                        .put("machine", Environment.describe())
                        .put("columns", new JsonArray(columns))
                        .put("rows", array)
                        .put("notes", new JsonArray(notes))
                        .encodePrettily()
                + "\n";
    }

    /** Writes {@code stem.html} and {@code stem.json}; creates the directory if it is missing. */
    public void write(Path directory, String stem) throws IOException {
        Files.createDirectories(directory);
        Files.writeString(directory.resolve(stem + ".html"), toHtml());
        Files.writeString(directory.resolve(stem + ".json"), toJson());
    }
}
