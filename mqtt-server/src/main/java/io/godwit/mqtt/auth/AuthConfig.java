package io.godwit.mqtt.auth;

import java.time.Duration;

/**
 * How the frontend deals with the answers of an auth provider.
 *
 * @param timeout for one answer; without one by then it is no; at least a millisecond
 * @param disconnectsOnDeniedPublish whether a denied publish ends the connection. Otherwise the message is discarded: MQTT 5.0 is told
 *     so at QoS 1 and 2, before 5.0 it is acknowledged like any other [MQTT311-3.3.5-2]
 */
public record AuthConfig(Duration timeout, boolean disconnectsOnDeniedPublish) {
    public static final AuthConfig DEFAULTS = new AuthConfig(Duration.ofSeconds(10), false);

    public AuthConfig {
        if (timeout.toMillis() < 1) {
            throw new IllegalArgumentException("timeout must be at least a millisecond, was " + timeout);
        }
    }
}
