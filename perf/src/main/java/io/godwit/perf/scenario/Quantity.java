package io.godwit.perf.scenario;

import java.util.Locale;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses numbers as they are in the names of scenarios: {@code 30k}, {@code 1.5K}, {@code 1M}; also sizes, where K is
 * 1,024 bytes.
 */
public final class Quantity {
    private static final Pattern FORM = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,6})?)([kKmM]?)");

    private Quantity() {}

    /** The number; empty if {@code text} is none. */
    public static OptionalDouble number(String text) {
        return parse(text, 1_000);
    }

    /** A number of bytes; empty if {@code text} is none. */
    public static OptionalDouble bytes(String text) {
        return parse(text, 1_024);
    }

    private static OptionalDouble parse(String text, int thousand) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            return OptionalDouble.empty();
        }
        double value = Double.parseDouble(matcher.group(1));
        return OptionalDouble.of(
                switch (matcher.group(2).toLowerCase(Locale.ROOT)) {
                    case "k" -> value * thousand;
                    case "m" -> value * thousand * thousand;
                    default -> value;
                });
    }

    /** As {@link #brief(double)}. */
    public static String brief(long value) {
        return brief((double) value);
    }

    /** The shortest form that has the number exactly or to three digits: 15k, 1.5k, 300, 1M. */
    public static String brief(double value) {
        if (value >= 1_000_000) {
            return trimmed(value / 1_000_000) + "M";
        }
        return value >= 1_000 ? trimmed(value / 1_000) + "k" : trimmed(value);
    }

    private static String trimmed(double value) {
        String text = String.format(Locale.ROOT, value >= 100 ? "%.1f" : value >= 10 ? "%.2f" : "%.3f", value);
        return text.replaceAll("0+$", "").replaceAll("\\.$", "");
    }
}
