package io.godwit.kv.balance;

import java.time.Duration;

/**
 * The pace of a balance loop.
 *
 * @param interval between two rounds, and before the first
 * @param timeout time after which an action counts as failed
 * @param settleTimeout how long to wait, after an action has ended, until the view shows its effect
 * @param backoff pause after the first failure of an action on a range, or of a balancer; doubled with each further
 *     failure in a row
 * @param maxBackoff longest such pause
 * @param maxInFlight most actions in progress at once, at most one per balancer
 */
public record BalanceLoopConfig(
        Duration interval,
        Duration timeout,
        Duration settleTimeout,
        Duration backoff,
        Duration maxBackoff,
        int maxInFlight) {
    public static final BalanceLoopConfig DEFAULT = new BalanceLoopConfig(
            Duration.ofSeconds(1),
            Duration.ofSeconds(60),
            Duration.ofSeconds(10),
            Duration.ofSeconds(5),
            Duration.ofMinutes(5),
            3);

    public BalanceLoopConfig {
        if (!isPositive(interval) || !isPositive(timeout) || !isPositive(settleTimeout) || !isPositive(backoff)) {
            throw new IllegalArgumentException("interval=" + interval + " timeout=" + timeout + " settleTimeout="
                    + settleTimeout + " backoff=" + backoff + ": all must be more than nothing");
        }
        if (maxBackoff.compareTo(backoff) < 0 || maxInFlight < 1) {
            throw new IllegalArgumentException("maxBackoff=" + maxBackoff + " maxInFlight=" + maxInFlight);
        }
    }

    private static boolean isPositive(Duration duration) {
        return !duration.isZero() && !duration.isNegative();
    }

    /** The pause after {@code failures} in a row; at least 1. */
    Duration pauseAfter(int failures) {
        Duration pause = backoff;
        for (int i = 1; i < failures && pause.compareTo(maxBackoff) < 0; i++) {
            pause = pause.multipliedBy(2);
        }
        return pause.compareTo(maxBackoff) < 0 ? pause : maxBackoff;
    }
}
