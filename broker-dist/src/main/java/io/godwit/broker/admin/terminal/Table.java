package io.godwit.broker.admin.terminal;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Rows of text under a heading, aligned, for people. On a terminal the widest columns are cut until a row fits on a
 * line. May be printed in parts: printed rows are forgotten, the widths of columns are kept. Used by one thread.
 */
public final class Table {
    private static final String GAP = "  ";
    private static final String NOTHING = "-";
    private static final int LEAST_WIDTH = 6;

    private final List<String> heading;
    private final List<List<String>> rows = new ArrayList<>();
    private final int[] widths;
    private boolean hasHeading;

    public Table(String... heading) {
        this.heading = List.of(heading);
        this.widths = new int[heading.length];
        for (int i = 0; i < widths.length; i++) {
            widths[i] = Printable.columns(heading[i]);
        }
    }

    /** Adds a row with one cell per column; an empty cell is shown as a dash. */
    public void add(Object... cells) {
        if (cells.length != widths.length) {
            throw new IllegalArgumentException(List.of(cells) + " for the columns " + heading);
        }
        List<String> row = new ArrayList<>();
        for (int i = 0; i < cells.length; i++) {
            String text = Printable.of(String.valueOf(cells[i]));
            String cell = text.isEmpty() ? NOTHING : text;
            row.add(cell);
            widths[i] = Math.max(widths[i], Printable.columns(cell));
        }
        rows.add(row);
    }

    /** Prints the rows at full width. */
    public void print(PrintStream out) {
        print(out, Screen.NONE);
    }

    /** Prints the rows added since the last call. */
    public void print(PrintStream out, Screen screen) {
        int[] room = widths.clone();
        if (screen.isTerminal()) {
            fit(room, screen.columns());
        }
        if (!hasHeading) {
            out.println(screen.bold(line(heading, room, screen)));
            hasHeading = true;
        }
        rows.forEach(row -> out.println(line(row, room, screen)));
        rows.clear();
    }

    private static String line(List<String> row, int[] room, Screen screen) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < room.length; i++) {
            String cell = Printable.cut(row.get(i), room[i]);
            line.append(cell).append(" ".repeat(Math.max(0, room[i] - Printable.columns(cell))));
            line.append(GAP);
        }
        String whole = line.toString().stripTrailing();
        return screen.isTerminal() ? Printable.cut(whole, screen.columns()) : whole;
    }

    /** Narrows the widest column repeatedly until a row fits, or until no column can become narrower. */
    private void fit(int[] room, int columns) {
        int total = (room.length - 1) * GAP.length();
        for (int width : room) {
            total += width;
        }
        while (total > columns) {
            int widest = -1;
            int next = 0;
            for (int i = 0; i < room.length; i++) {
                if (room[i] <= Math.max(LEAST_WIDTH, Printable.columns(heading.get(i)))) {
                    continue; // at its smallest width
                }
                if (widest < 0 || room[i] > room[widest]) {
                    next = widest < 0 ? 0 : room[widest];
                    widest = i;
                } else {
                    next = Math.max(next, room[i]);
                }
            }
            if (widest < 0) {
                return; // line() cuts the rows
            }
            int least = Math.max(LEAST_WIDTH, Printable.columns(heading.get(widest)));
            int given = Math.max(1, Math.min(room[widest] - Math.max(least, next), total - columns));
            room[widest] -= given;
            total -= given;
        }
    }
}
