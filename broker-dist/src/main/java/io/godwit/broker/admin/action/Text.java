package io.godwit.broker.admin.action;

import io.godwit.broker.admin.rpc.Messages;
import io.godwit.plugin.balance.Key;
import java.util.HexFormat;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Formats numbers and keys for people. */
public final class Text {
    private static final int SHOWN = 40;
    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};

    private Text() {}

    public static String bytes(long count) {
        double value = count;
        int unit = 0;
        while (value >= 1_024 && unit < UNITS.length - 1) {
            value /= 1_024;
            unit++;
        }
        return unit == 0 ? count + " B" : String.format(Locale.ROOT, "%.1f %s", value, UNITS[unit]);
    }

    public static String rate(double perSecond) {
        return String.format(Locale.ROOT, perSecond < 10 ? "%.1f" : "%.0f", perSecond);
    }

    public static String percent(double share) {
        return Math.round(share * 100) + " %";
    }

    /** How many voters ranges should have, and how many ranges have fewer. */
    public static String wanted(Messages.Ranges ranges) {
        int wanted = ranges.wantedVoters();
        if (wanted == 0) {
            return "voters wanted of each range: not told by this release";
        }
        long fewer = withFewer(ranges);
        return "voters wanted of each range: " + wanted
                + (fewer == 0 ? "" : "; " + fewer + " of " + ranges.ranges().size() + " have fewer");
    }

    /** How many ranges have fewer voters than they should. */
    public static long withFewer(Messages.Ranges ranges) {
        return ranges.ranges().stream()
                .filter(range -> range.voters().size() < ranges.wantedVoters())
                .count();
    }

    /** A key from its hexadecimal digits, as {@link Key#toString} has it; null for the end of the key space. */
    public static String key(@Nullable String hex) {
        String text = hex == null ? "" : Key.of(HexFormat.of().parseHex(hex)).toString();
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "..";
    }

    /**
     * The hexadecimal digits of a key. The key is given so too, or in the form of {@link Key#toString}, which contains
     * a backslash.
     *
     * @throws IllegalArgumentException if it is neither
     */
    static String hex(String key) {
        return HexFormat.of()
                .formatHex(
                        key.indexOf('\\') >= 0
                                ? Key.parse(key).bytes()
                                : HexFormat.of().parseHex(key));
    }
}
