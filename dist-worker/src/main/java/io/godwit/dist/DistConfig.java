package io.godwit.dist;

import io.godwit.dist.route.SharedPick;
import java.time.Duration;

/**
 * @param sharedPick how a shared group chooses among its members
 * @param routeTimeout how long a SUBSCRIBE or UNSUBSCRIBE of a persistent session may wait for its route to be committed
 */
public record DistConfig(SharedPick sharedPick, Duration routeTimeout) {
    public static final DistConfig DEFAULT = new DistConfig(SharedPick.RANDOM, Duration.ofSeconds(10));

    public DistConfig {
        if (routeTimeout.isNegative() || routeTimeout.isZero()) {
            throw new IllegalArgumentException("dist.route-timeout must be positive, was " + routeTimeout);
        }
    }
}
