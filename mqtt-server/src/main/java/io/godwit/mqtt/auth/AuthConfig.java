package io.godwit.mqtt.auth;

import java.time.Duration;

/**
 * How the frontend treats the answers of an auth provider.
 *
 * @param timeout for one answer; no answer in time counts as a refusal; at least a millisecond
 * @param disconnectsOnDeniedPublish whether a denied publish ends the connection. Otherwise the message is
 *     discarded: MQTT 5.0 clients get an error at QoS 1 and 2, older ones a normal acknowledgement [MQTT311-3.3.5-2]
 * @param keepsSessionsToUsers whether a user with a proven name may not take over another user's client id or
 *     stored session
 */
public record AuthConfig(Duration timeout, boolean disconnectsOnDeniedPublish, boolean keepsSessionsToUsers) {
    public static final AuthConfig DEFAULTS = new AuthConfig(Duration.ofSeconds(10), false, true);

    public AuthConfig {
        if (timeout.toMillis() < 1) {
            throw new IllegalArgumentException("timeout must be at least a millisecond, was " + timeout);
        }
    }
}
