package io.godwit.mqtt.auth;

import java.time.Duration;

/**
 * How the frontend deals with the answers of an auth provider.
 *
 * @param timeout for one answer; without one by then it is no; at least a millisecond
 * @param disconnectsOnDeniedPublish whether a denied publish ends the connection. Otherwise the message is discarded:
 *     MQTT 5.0 is told so at QoS 1 and 2, before 5.0 it is acknowledged like any other [MQTT311-3.3.5-2]
 * @param keepsSessionsToUsers whether a user whose name is proven may not take over the client id of another, nor what
 *     is stored for it
 */
public record AuthConfig(Duration timeout, boolean disconnectsOnDeniedPublish, boolean keepsSessionsToUsers) {
    public static final AuthConfig DEFAULTS = new AuthConfig(Duration.ofSeconds(10), false, true);

    public AuthConfig {
        if (timeout.toMillis() < 1) {
            throw new IllegalArgumentException("timeout must be at least a millisecond, was " + timeout);
        }
    }
}
