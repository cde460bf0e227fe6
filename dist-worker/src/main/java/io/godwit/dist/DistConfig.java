package io.godwit.dist;

import io.godwit.dist.client.SharedPick;
import io.godwit.dist.index.share.SharedStrategies;
import java.time.Duration;

/**
 * Settings of the dist-worker.
 *
 * @param strategies how shared groups choose among their members
 * @param routeTimeout how long a SUBSCRIBE or UNSUBSCRIBE of a persistent session may wait for its route to be
 *     committed
 */
public record DistConfig(SharedStrategies strategies, Duration routeTimeout) {
    public static final DistConfig DEFAULT =
            new DistConfig(new SharedStrategies(SharedPick.RANDOM), Duration.ofSeconds(20));

    public DistConfig {
        if (routeTimeout.isNegative() || routeTimeout.isZero()) {
            throw new IllegalArgumentException("dist.route-timeout must be positive, was " + routeTimeout);
        }
    }
}
