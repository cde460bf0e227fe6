package io.godwit.broker.admin.terminal;

import java.util.Locale;

/**
 * Makes text from others, such as a client id, safe for a terminal: characters that move the cursor, change colours or
 * reverse the direction of reading are shown as numbers.
 */
public final class Printable {
    private static final String CUT = "..";
    /** Combining marks take no column, but a hundred of them in a row cover other lines. */
    private static final int MARKS_IN_A_ROW = 4;

    private Printable() {}

    /** The text, with a number for each invisible character: {@code \x1b}, {@code \u202e}. */
    public static String of(String text) {
        return escaped(text, false);
    }

    /** Equivalent JSON with visible characters only. */
    public static String json(String json) {
        return escaped(json, true);
    }

    private static String escaped(String text, boolean isJson) {
        StringBuilder shown = new StringBuilder(text.length());
        int marks = 0;
        for (int i = 0; i < text.length(); ) {
            int point = text.codePointAt(i);
            i += Character.charCount(point);
            boolean isMark = columns(point) == 0;
            marks = isMark ? marks + 1 : 0;
            if (isJson && (point == '\n' || point < ' ')) {
                shown.append((char) point); // between its strings; within them there is none
            } else if (isVisible(point) && (isJson || marks <= MARKS_IN_A_ROW)) {
                shown.appendCodePoint(point);
            } else {
                for (char unit : Character.toChars(point)) {
                    shown.append(
                            unit > 0xff || isJson
                                    ? String.format(Locale.ROOT, "\\u%04x", (int) unit)
                                    : String.format(Locale.ROOT, "\\x%02x", (int) unit));
                }
            }
        }
        return shown.toString();
    }

    private static boolean isVisible(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }

    /** The columns of a terminal that a printable text takes. */
    static int columns(String text) {
        return text.codePoints().map(Printable::columns).sum();
    }

    /** So much of a printable text as has room in so many columns, marked where it is cut; at least 3. */
    static String cut(String text, int columns) {
        if (columns(text) <= columns) {
            return text;
        }
        int used = 0;
        int end = 0;
        while (end < text.length()) {
            int point = text.codePointAt(end);
            if (used + columns(point) > columns - CUT.length()) {
                break;
            }
            used += columns(point);
            end += Character.charCount(point);
        }
        return text.substring(0, end) + CUT;
    }

    /**
     * The columns of a character on a terminal: two for East Asian letters and pictographs, none for combining marks.
     */
    private static int columns(int point) {
        int type = Character.getType(point);
        if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK) {
            return 0;
        }
        boolean isWide = point >= 0x1100
                && (point <= 0x115f // Hangul Jamo
                        || point >= 0x2e80 && point <= 0xa4cf && point != 0x303f
                        || point >= 0xac00 && point <= 0xd7a3
                        || point >= 0xf900 && point <= 0xfaff
                        || point >= 0xfe30 && point <= 0xfe6f
                        || point >= 0xff00 && point <= 0xff60
                        || point >= 0xffe0 && point <= 0xffe6
                        || point >= 0x1f300 && point <= 0x1faff
                        || point >= 0x20000 && point <= 0x3fffd);
        return isWide ? 2 : 1;
    }
}
