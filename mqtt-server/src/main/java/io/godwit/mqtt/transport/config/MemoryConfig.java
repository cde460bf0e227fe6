package io.godwit.mqtt.transport.config;

import static io.godwit.mqtt.transport.config.ListenerLimits.check;

import java.time.Duration;

/**
 * When memory counts as short: at these percentages of its limit, until it is {@link #HYSTERESIS_PERCENT}
 * points below.
 *
 * @param maxHeapPercent 11 to 99; 0 for never
 * @param maxDirectPercent 11 to 99; 0 for never
 * @param interval between two checks
 */
public record MemoryConfig(int maxHeapPercent, int maxDirectPercent, Duration interval) {
    public static final int HYSTERESIS_PERCENT = 10;

    /** Every setting at its default. */
    public static final MemoryConfig DEFAULTS = new MemoryConfig(85, 85, Duration.ofMillis(500));

    public MemoryConfig {
        checkPercent("maxHeapPercent", maxHeapPercent);
        checkPercent("maxDirectPercent", maxDirectPercent);
        check("interval", interval.toMillis(), 1, Integer.MAX_VALUE);
    }

    private static void checkPercent(String name, int percent) {
        if (percent != 0) {
            check(name, percent, HYSTERESIS_PERCENT + 1, 99);
        }
    }
}
