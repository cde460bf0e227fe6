package io.godwit.broker.admin;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Rows of words under a heading, aligned, for people. Used by one thread. */
final class Table {
    private static final String GAP = "  ";
    private static final String NOTHING = "-";

    private final List<List<String>> rows = new ArrayList<>();

    Table(String... heading) {
        rows.add(List.of(heading));
    }

    /** One cell for each column; an empty one is shown as a dash. */
    void add(Object... cells) {
        List<String> row = new ArrayList<>();
        for (Object cell : cells) {
            String text = String.valueOf(cell);
            row.add(text.isEmpty() ? NOTHING : text);
        }
        if (row.size() != rows.get(0).size()) {
            throw new IllegalArgumentException(row + " for the columns " + rows.get(0));
        }
        rows.add(row);
    }

    void print(PrintStream out) {
        int[] widths = new int[rows.get(0).size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                line.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length()));
                line.append(GAP);
            }
            out.println(line.toString().stripTrailing());
        }
    }
}
