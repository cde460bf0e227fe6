package io.godwit.perf.rows;

import java.util.Locale;

/** What is told of a load. */
enum Value {
    /** Microseconds of the brokers' CPU for each delivery. */
    CPU("us of CPU per message", "%.1f", true),
    /** Deliveries per second. */
    RATE("messages/s", "%,.0f", false),
    /** Milliseconds from the time intended to the arrival. */
    P99("ms, p99", "%.2f", true),
    /** Milliseconds from SUBSCRIBE to SUBACK. */
    SUBACK_P99("ms, p99", "%.2f", true),
    /** Connections per second. */
    CONNECTS("connections/s", "%,.0f", false),
    /** Cores that the busiest broker takes. */
    CORES("cores", "%.4f", true);

    private final String unit;
    private final String format;
    private final boolean isLowerBetter;

    Value(String unit, String format, boolean isLowerBetter) {
        this.unit = unit;
        this.format = format;
        this.isLowerBetter = isLowerBetter;
    }

    String unit() {
        return unit;
    }

    String text(double value) {
        return String.format(Locale.ROOT, format, value);
    }

    /** Whether {@code figure} is at least as good as {@code bound}. */
    boolean meets(double figure, double bound) {
        return isLowerBetter ? figure <= bound : figure >= bound;
    }
}
