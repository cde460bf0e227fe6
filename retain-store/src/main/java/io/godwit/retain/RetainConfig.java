package io.godwit.retain;

import java.time.Duration;

/**
 * Settings of the retain store.
 *
 * @param timeout how long a write or a read may take, retries included
 */
public record RetainConfig(Duration timeout) {
    public static final RetainConfig DEFAULT = new RetainConfig(Duration.ofSeconds(20));

    public RetainConfig {
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("retain.timeout must be positive, was " + timeout);
        }
    }
}
