package io.godwit.perf.rows;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long each load lasts.
 *
 * @param warmUp time before the measured time. Brokers that have just started spend most of their CPU in the JVM's
 *     compiler: several of them on two cores take a minute
 * @param measured the measured time
 */
public record LoadTimes(Duration warmUp, Duration measured) {
    private static final Duration USUAL_WARM_UP = Duration.ofSeconds(5);
    private static final Duration WARM_UP_BESIDE_LARGE = Duration.ofSeconds(20);
    private static final int WARM_UPS_BESIDE_LARGE = 4;

    /**
     * @param warmUp null for 5 s, or the measured time if that is shorter
     * @throws IllegalArgumentException if a time is out of bounds; it names the option
     */
    public static LoadTimes of(@Nullable Duration warmUp, Duration measured) {
        if (measured.toMillis() < 500 || measured.toMinutes() > 10) {
            throw new IllegalArgumentException("--seconds must be 0.5 s to 10 minutes, was " + measured);
        }
        if (warmUp == null) {
            return new LoadTimes(shorter(measured, USUAL_WARM_UP), measured);
        }
        if (warmUp.isNegative() || warmUp.toMinutes() > 10) {
            throw new IllegalArgumentException("--warm-up must be 0 s to 10 minutes, was " + warmUp);
        }
        return new LoadTimes(warmUp, measured);
    }

    /** Brokers that have not carried large messages before are compiling for about fifteen seconds on two cores. */
    Duration warmUpBesideLarge() {
        Duration longer = shorter(warmUp.multipliedBy(WARM_UPS_BESIDE_LARGE), WARM_UP_BESIDE_LARGE);
        return longer.compareTo(warmUp) < 0 ? warmUp : longer;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
