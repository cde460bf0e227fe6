package io.godwit.broker.admin.terminal;

import java.util.Map;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The terminal behind standard output.
 *
 * @param columns of the terminal; 0 for a file or a pipe, whose lines may have any length
 * @param rows of the terminal
 * @param hasColours whether colours are wanted
 */
public record Screen(int columns, int rows, boolean hasColours) {
    /** A file or a pipe. */
    public static final Screen NONE = new Screen(0, 0, false);

    private static final Pattern SIZE = Pattern.compile("([0-9]{1,5}) ([0-9]{1,5})");
    private static final int LEAST_COLUMNS = 20;
    private static final int USUAL_COLUMNS = 80;
    private static final int USUAL_ROWS = 24;

    /**
     * The screen that {@code bin/godwit-admin} has found: {@code godwit.terminal} is the answer of {@code stty size}.
     */
    public static Screen of(Properties properties, Map<String, String> environment) {
        String size = properties.getProperty("godwit.terminal");
        if (size == null) {
            return NONE;
        }
        Matcher words = SIZE.matcher(size);
        boolean isKnown = words.matches();
        int rows = isKnown ? Integer.parseInt(words.group(1)) : 0;
        int columns = isKnown ? Integer.parseInt(words.group(2)) : 0;
        return new Screen(
                columns == 0 ? USUAL_COLUMNS : Math.max(LEAST_COLUMNS, columns),
                rows == 0 ? USUAL_ROWS : rows,
                environment.getOrDefault("NO_COLOR", "").isEmpty()
                        && !environment.getOrDefault("TERM", "dumb").equals("dumb"));
    }

    public boolean isTerminal() {
        return columns > 0;
    }

    public String bold(String text) {
        return styled("1", text);
    }

    public String green(String text) {
        return styled("32", text);
    }

    public String red(String text) {
        return styled("31", text);
    }

    private String styled(String code, String text) {
        return hasColours ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
    }

    /** Printed before each output of a repeated command; empty without a terminal. */
    public String cleared() {
        return isTerminal() ? "\u001b[H\u001b[2J\u001b[3J" : "";
    }
}
