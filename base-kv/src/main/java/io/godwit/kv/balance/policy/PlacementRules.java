package io.godwit.kv.balance.policy;

import java.time.Duration;
import java.util.Map;

/**
 * Limits on where replicas may be placed, the same for every balancer that places replicas.
 *
 * @param grace how long a store must be down before its replicas are replaced
 * @param settle how long a store must be alive before it gets replicas, and before the cluster counts as stable again
 * @param minFreeShare share of a disk that must stay free after a replica was added
 * @param maxCopies most replicas being copied at once, for the ranges of one leader and to one store
 */
record PlacementRules(Duration grace, Duration settle, double minFreeShare, int maxCopies) {
    static final String GRACE = "graceSeconds";

    static final Map<String, String> DEFAULTS =
            Map.of(GRACE, "600", "settleSeconds", "30", "minFreeShare", "0.1", "maxCopies", "2");

    /** The grace period when no balancer has set one. */
    static Duration defaultGrace() {
        return Duration.ofSeconds(Long.parseLong(DEFAULTS.get(GRACE)));
    }

    static PlacementRules of(PolicySettings settings) {
        return new PlacementRules(
                settings.seconds(GRACE), settings.seconds("settleSeconds"), settings.number("minFreeShare", 0, 1), (int)
                        settings.whole("maxCopies", 1, 1_000));
    }
}
