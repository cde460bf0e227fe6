package io.godwit.broker.plugin.instance;

import java.time.Duration;

/**
 * Time limits of the calls of a plugin.
 *
 * @param start each call that the start of the broker waits for
 * @param make the creation of a balancer or a split hinter
 * @param stop each call that the end of the broker waits for
 * @param health the answer about its health
 * @param message the answer of an interceptor for one message
 * @param event a call of a listener, before it is interrupted
 */
public record CallLimits(
        Duration start, Duration make, Duration stop, Duration health, Duration message, Duration event) {
    public static final CallLimits DEFAULT = new CallLimits(
            Duration.ofSeconds(60),
            Duration.ofSeconds(10),
            Duration.ofSeconds(10),
            Duration.ofSeconds(2),
            Duration.ofSeconds(5),
            Duration.ofSeconds(10));
}
