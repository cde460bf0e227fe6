package io.godwit.perf.rows;

import java.util.Locale;

/** The kinds of values that are measured. */
enum Value {
    /** Microseconds of the brokers' CPU for each delivery. */
    CPU("us of CPU per message", "%.1f", true),
    /** Deliveries per second. */
    RATE("messages/s", "%,.0f", false),
    /** Milliseconds from the intended time of sending to the arrival. */
    P99("ms, p99", "%.2f", true),
    /** {@link #P99} before something was done to the cluster. */
    P99_BEFORE("ms, p99 before", "%.2f", true),
    /** Milliseconds from SUBSCRIBE to SUBACK, and below their 99th percentile. */
    SUBACK_P50("ms, median", "%.2f", true),
    SUBACK_P99("ms, p99", "%.2f", true),
    /** Connections per second. */
    CONNECTS("connections/s", "%,.0f", false),
    /** Seconds without service, from the loss of a node until the first of its clients is served by another one. */
    FIRST_SERVED("s until the first is served", "%.2f", true),
    /** Seconds without service until half of the clients are served. */
    HALF_SERVED("s until half are served", "%.2f", true),
    /** Seconds without service until all clients are served. */
    ALL_SERVED("s until all are served", "%.2f", true),
    /** Seconds from the first contact of a node with another one until it knows all filters of that one. */
    FILTERS_KNOWN("s until all filters are known", "%.2f", true),
    /** Seconds from that contact until its listeners are open. */
    SERVING("s until it serves", "%.2f", true),
    /** Seconds of CPU time that brokers used during an event. */
    BROKERS_CPU("s of CPU of the brokers", "%.2f", true),
    /** Seconds of CPU time that this tool used during it. */
    TOOL_CPU("s of CPU of the tool", "%.2f", true),
    /** Cores that the busiest broker keeps busy. */
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
