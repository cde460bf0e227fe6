package io.godwit.broker.plugin;

import java.time.Duration;

/**
 * How long calls of a plugin may take.
 *
 * @param start each of those that a start waits for
 * @param make of a balancer or a split hinter, while the broker runs
 * @param stop each of those that an end waits for
 * @param health from the question to the answer
 * @param message what becomes of one, from the question to the answer
 * @param event until a listener that has not returned is interrupted
 */
record Limits(Duration start, Duration make, Duration stop, Duration health, Duration message, Duration event) {
    static final Limits DEFAULT = new Limits(
            Duration.ofSeconds(60),
            Duration.ofSeconds(10),
            Duration.ofSeconds(10),
            Duration.ofSeconds(2),
            Duration.ofSeconds(5),
            Duration.ofSeconds(10));
}
