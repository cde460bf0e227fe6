package io.godwit.mqtt.transport.config;

import static io.godwit.mqtt.transport.config.ListenerLimits.check;

import java.time.Duration;

/**
 * Limits for automatic bans, and their length. Each number is how often something may happen within the window; one
 * more causes a ban; 0 causes none.
 *
 * @param maxFailedLoginsPerSource logins that failed because of the client's credentials or rights
 * @param maxViolationsPerSource breaches of the protocol
 * @param maxFlapsPerSource connections that passed CONNECT and ended at once
 * @param maxFlapsPerClientId the same by client id
 * @param flap a connection shorter than this ended at once; at least a second
 * @param window at least a second
 * @param ban at least a second
 */
public record BanConfig(
        int maxFailedLoginsPerSource,
        int maxViolationsPerSource,
        int maxFlapsPerSource,
        int maxFlapsPerClientId,
        Duration flap,
        Duration window,
        Duration ban) {
    /** Every setting at its default. */
    public static final BanConfig DEFAULTS =
            new BanConfig(500, 0, 0, 0, Duration.ofSeconds(5), Duration.ofSeconds(60), Duration.ofSeconds(60));

    public BanConfig {
        check("maxFailedLoginsPerSource", maxFailedLoginsPerSource, 0, Integer.MAX_VALUE);
        check("maxViolationsPerSource", maxViolationsPerSource, 0, Integer.MAX_VALUE);
        check("maxFlapsPerSource", maxFlapsPerSource, 0, Integer.MAX_VALUE);
        check("maxFlapsPerClientId", maxFlapsPerClientId, 0, Integer.MAX_VALUE);
        check("flap", flap.toSeconds(), 1, Integer.MAX_VALUE);
        check("window", window.toSeconds(), 1, Integer.MAX_VALUE);
        check("ban", ban.toSeconds(), 1, Integer.MAX_VALUE);
    }
}
