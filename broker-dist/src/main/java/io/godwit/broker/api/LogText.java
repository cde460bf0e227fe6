package io.godwit.broker.api;

/**
 * Makes text that clients choose, such as ids and topics, safe for a log line: it must not look like another line, nor
 * be kilobytes long, nor change the order of display. So line ends, changes of the writing direction, invisible
 * characters and unpaired surrogates become a question mark, and a long text is cut.
 */
public final class LogText {
    /** The largest number of characters of one value. The longest client id has 65,535. */
    static final int MAX_CHARS = 256;

    private LogText() {}

    /** The text of a value, cut at 256 characters. */
    public static String of(Object value) {
        return of(value, MAX_CHARS);
    }

    /** @param most UTF-16 units that are shown; a longer text ends with its length */
    public static String of(Object value, int most) {
        String text = value.toString();
        String part = text.length() > most ? text.substring(0, most) : text;
        StringBuilder shown = new StringBuilder(part.length() + 16);
        part.codePoints().forEach(each -> shown.appendCodePoint(isShown(each) ? each : '?'));
        return text.length() > most
                ? shown.append("... of ").append(text.length()).toString()
                : shown.toString();
    }

    private static boolean isShown(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE -> false;
            default -> true;
        };
    }
}
