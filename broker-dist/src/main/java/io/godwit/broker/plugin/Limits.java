package io.godwit.broker.plugin;

import java.time.Duration;

/**
 * How long calls of a plugin's life cycle may take.
 *
 * @param start each of those that a start waits for
 * @param make of a balancer or a split hinter, while the broker runs
 * @param stop each of those that an end waits for
 * @param health from the question to the answer
 */
record Limits(Duration start, Duration make, Duration stop, Duration health) {
    static final Limits DEFAULT =
            new Limits(Duration.ofSeconds(60), Duration.ofSeconds(10), Duration.ofSeconds(10), Duration.ofSeconds(2));
}
