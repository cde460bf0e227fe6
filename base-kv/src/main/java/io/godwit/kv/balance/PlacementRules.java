package io.godwit.kv.balance;

import java.time.Duration;
import java.util.Map;

/**
 * When stores count and what they may take; the same for every balancer that places replicas.
 *
 * @param grace how long a store must be down until its replicas are given up
 * @param settle how long a store must be alive until it is given anything, and until the cluster counts as quiet again
 * @param minFreeShare of a disk, what must stay free after a replica was added
 * @param maxCopies replicas that may be copied at once, for the ranges of one leader and to one store
 */
record PlacementRules(Duration grace, Duration settle, double minFreeShare, int maxCopies) {
    static final String GRACE = "graceSeconds";

    static final Map<String, String> DEFAULTS =
            Map.of(GRACE, "600", "settleSeconds", "30", "minFreeShare", "0.1", "maxCopies", "2");

    /** Where no balancer says anything else. */
    static Duration defaultGrace() {
        return Duration.ofSeconds(Long.parseLong(DEFAULTS.get(GRACE)));
    }

    static PlacementRules of(PolicySettings settings) {
        return new PlacementRules(
                settings.seconds(GRACE), settings.seconds("settleSeconds"), settings.number("minFreeShare", 0, 1), (int)
                        settings.whole("maxCopies", 1, 1_000));
    }
}
