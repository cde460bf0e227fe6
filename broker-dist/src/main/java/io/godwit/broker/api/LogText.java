package io.godwit.broker.api;

/**
 * What clients choose, such as ids and topics, for a line of the log: nothing of it may look like another line, be one
 * of kilobytes, or show in another order than it has. So what ends lines, turns the direction of writing, is invisible
 * or half a character becomes a question mark, and a long text is cut.
 */
public final class LogText {
    /** Characters of one value. The longest client id has 65,535. */
    static final int MAX_CHARS = 256;

    private LogText() {}

    /** Of a value among others: its text, cut at 256 characters. */
    public static String of(Object value) {
        return of(value, MAX_CHARS);
    }

    /** @param most UTF-16 units that are shown, before a note of how many there were */
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
