package io.godwit.broker.admin;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Numbers and keys as people read them. */
final class Text {
    private static final int SHOWN_DIGITS = 24;
    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};

    private Text() {}

    static String bytes(long count) {
        double value = count;
        int unit = 0;
        while (value >= 1_024 && unit < UNITS.length - 1) {
            value /= 1_024;
            unit++;
        }
        return unit == 0 ? count + " B" : String.format(Locale.ROOT, "%.1f %s", value, UNITS[unit]);
    }

    static String rate(double perSecond) {
        return String.format(Locale.ROOT, perSecond < 10 ? "%.1f" : "%.0f", perSecond);
    }

    static String percent(double share) {
        return Math.round(share * 100) + " %";
    }

    /** A key in hexadecimal; null is the end of the key space. */
    static String key(@Nullable String hex) {
        if (hex == null || hex.length() <= SHOWN_DIGITS) {
            return hex == null ? "" : hex;
        }
        return hex.substring(0, SHOWN_DIGITS) + "..";
    }
}
