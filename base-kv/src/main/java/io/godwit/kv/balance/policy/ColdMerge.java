package io.godwit.kv.balance.policy;

import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.BalanceAction.Merge;
import io.godwit.plugin.balance.ClusterView;
import io.godwit.plugin.balance.RangeBalancer;
import io.godwit.plugin.balance.RangeView;
import io.godwit.plugin.balance.Replica;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Merges neighbours that have been cold and small for a long time. Even at their peaks they must stay together far
 * below the limits of {@link LoadSplit}, or they would be split again. All stores pair the ranges in the same way, from
 * the first key on, so that no range is in two merges.
 *
 * @param maxIoDensity, maxBusyShare, maxBytes as in {@link LoadSplit}
 * @param coldShare share of these limits that the two may reach together
 * @param rest how long both ranges must be unchanged and measured before a merge
 * @param minRanges least number of ranges of the key space
 */
record ColdMerge(
        double maxIoDensity,
        double maxBusyShare,
        long maxBytes,
        double coldShare,
        Duration rest,
        int minRanges,
        PlacementRules rules)
        implements RangeBalancer {

    static final Map<String, String> DEFAULTS = Map.of(
            "maxIoDensity", "100",
            "maxBusyShare", "0.8",
            "maxBytes", "268435456",
            "coldShare", "0.25",
            "restSeconds", "600",
            "minRanges", "1");

    static ColdMerge of(PolicySettings settings) {
        return new ColdMerge(
                settings.number("maxIoDensity", 0.001, Double.MAX_VALUE),
                settings.number("maxBusyShare", 0.001, 1e9),
                settings.whole("maxBytes", 1 << 20, Long.MAX_VALUE),
                settings.number("coldShare", 0, 0.5),
                settings.seconds("restSeconds"),
                (int) settings.whole("minRanges", 1, 1_000_000),
                PlacementRules.of(settings));
    }

    @Override
    public Optional<BalanceAction> next(ClusterView view) {
        ReplicaPlacement placement = new ReplicaPlacement(view, rules);
        if (!placement.isQuiet() || placement.isMixed()) {
            return Optional.empty();
        }
        List<RangeView> ranges = view.ranges();
        int spare = ranges.size() - minRanges;
        int i = 0;
        while (i + 1 < ranges.size() && spare > 0) {
            RangeView left = ranges.get(i);
            RangeView right = ranges.get(i + 1);
            if (!fit(placement, left, right)) {
                i++;
                continue;
            }
            if (left.isLedBy(view.self())
                    && left.change().isEmpty()
                    && right.change().isEmpty()) {
                return Optional.of(new Merge(left.id(), left.epoch(), right.id(), right.epoch(), reason(left, right)));
            }
            spare--;
            i += 2;
        }
        return Optional.empty();
    }

    private boolean fit(ReplicaPlacement placement, RangeView left, RangeView right) {
        return left.isLeftOf(right)
                && isReady(placement, left)
                && isReady(placement, right)
                && sameReplicas(left, right)
                && left.sizeBytes() + right.sizeBytes() <= coldShare * maxBytes
                && left.load().peakIoDensity() + right.load().peakIoDensity() <= coldShare * maxIoDensity
                && peakBusy(left) + peakBusy(right) <= coldShare * maxBusyShare;
    }

    private boolean isReady(ReplicaPlacement placement, RangeView range) {
        return range.leader().isPresent()
                && range.stableFor().compareTo(rest) >= 0
                && range.load().measuredFor().compareTo(rest) >= 0
                && range.replicas().stream()
                        .allMatch(replica -> replica.isCaughtUp() && placement.isUsable(replica.store()));
    }

    private static boolean sameReplicas(RangeView left, RangeView right) {
        return stores(left, true).equals(stores(right, true))
                && stores(left, false).equals(stores(right, false));
    }

    private static Set<String> stores(RangeView range, boolean voters) {
        Set<String> stores = new HashSet<>();
        for (Replica replica : range.replicas()) {
            if (replica.isVoter() == voters) {
                stores.add(replica.store());
            }
        }
        return stores;
    }

    private static double peakBusy(RangeView range) {
        return range.load().peakOperationsPerSecond() * range.load().operationNanos() / 1e9;
    }

    private String reason(RangeView left, RangeView right) {
        return String.format(
                Locale.ROOT,
                "together %d bytes and %.1f operations/ms at their peak, cold for %d s",
                left.sizeBytes() + right.sizeBytes(),
                left.load().peakIoDensity() + right.load().peakIoDensity(),
                rest.toSeconds());
    }
}
