package io.godwit.broker.config.key;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The unit of a number. A number without a suffix is in this unit; one with a suffix is converted. */
public enum Unit {
    /** A plain number, written without a suffix. */
    NONE(""),
    /** Bytes. KB and KiB are both 1,024 bytes, MB and MiB 1,024 of these, and so on. */
    BYTES("bytes"),
    /** Bytes a second, written as bytes. */
    BYTES_PER_SECOND("bytes per second"),
    /** Seconds. */
    SECONDS("seconds");

    private static final Pattern NUMBER = Pattern.compile("([+-]?\\d{1,19})\\s*([a-zA-Z]*)");

    /** The number of bytes of a unit, by its name in lower case. */
    private static final Map<String, Long> SIZES = sizes();
    /** The number of seconds of a unit. */
    private static final Map<String, Long> DURATIONS = Map.of("s", 1L, "m", 60L, "min", 60L, "h", 3_600L, "d", 86_400L);

    private final String counted;

    Unit(String counted) {
        this.counted = counted;
    }

    /** The plural of the unit; empty for a plain number. */
    public String counted() {
        return counted;
    }

    /** The suffixes that a number may have, for people; empty if there are none. */
    public String choices() {
        return switch (this) {
            case NONE -> "";
            case BYTES, BYTES_PER_SECOND -> "KB, MB, GB or TB";
            case SECONDS -> "s, m, h or d";
        };
    }

    /** @throws IllegalArgumentException if the text is no such number, or its value does not fit a {@code long} */
    public long parse(String text) {
        Matcher number = NUMBER.matcher(text);
        Long factor = number.matches() ? factor(number.group(2).toLowerCase(Locale.ROOT)) : null;
        if (factor == null) {
            throw new IllegalArgumentException(
                    this == NONE ? "must be a whole number" : "must be a whole number, or one with " + choices());
        }
        try {
            return Math.multiplyExact(Long.parseLong(number.group(1)), factor);
        } catch (NumberFormatException | ArithmeticException e) {
            throw new IllegalArgumentException("must be less than 2^63 " + counted, e);
        }
    }

    private @Nullable Long factor(String unit) {
        if (unit.isEmpty()) {
            return 1L;
        }
        return switch (this) {
            case NONE -> null;
            case BYTES, BYTES_PER_SECOND -> SIZES.get(unit);
            case SECONDS -> DURATIONS.get(unit);
        };
    }

    private static Map<String, Long> sizes() {
        Map<String, Long> sizes = new HashMap<>();
        sizes.put("b", 1L);
        long factor = 1;
        for (String letter : new String[] {"k", "m", "g", "t"}) {
            factor *= 1024;
            sizes.put(letter, factor);
            sizes.put(letter + "b", factor);
            sizes.put(letter + "ib", factor);
        }
        return Map.copyOf(sizes);
    }
}
