package io.godwit.kv.balance.policy;

import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.BalanceAction.Split;
import io.godwit.plugin.balance.ClusterView;
import io.godwit.plugin.balance.RangeBalancer;
import io.godwit.plugin.balance.RangeLoad;
import io.godwit.plugin.balance.RangeView;
import io.godwit.plugin.balance.SplitHint;
import io.godwit.plugin.balance.StoreView;
import java.time.Duration;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Splits a range with too much load in the middle of its load, and a range that is too large in the middle of its
 * bytes.
 *
 * <p>A range writes on one thread, so two ranges do more than one as long as there are cores and the disk keeps up. So
 * there is no split by load while operations are slow (then the disk is the bottleneck), while all stores have a high
 * CPU load, when there are many ranges per core already, or when the load is on one key.
 *
 * @param maxIoDensity operations per millisecond above which a range is split
 * @param maxBusyShare share of a second spent on operations above which a range is split too
 * @param ioNanosLimit mean time of an operation above which there is no split by load
 * @param maxBytes size above which a range is split, whatever its load
 * @param minShare share of the load that the smaller part must get
 * @param maxRangesPerCore ranges of the key space per core of all live stores, above which there is no split by load
 * @param maxCpuLoad at least one usable store must be below this CPU load
 * @param rest how long a range must be unchanged, and for a split by load measured, before a split
 */
record LoadSplit(
        double maxIoDensity,
        double maxBusyShare,
        long ioNanosLimit,
        long maxBytes,
        double minShare,
        double maxRangesPerCore,
        double maxCpuLoad,
        Duration rest,
        PlacementRules rules)
        implements RangeBalancer {

    static final Map<String, String> DEFAULTS = Map.of(
            "maxIoDensity", "100",
            "maxBusyShare", "0.8",
            "ioNanosLimit", "30000",
            "maxBytes", "268435456",
            "minShare", "0.2",
            "maxRangesPerCore", "4",
            "maxCpuLoad", "0.85",
            "restSeconds", "30");

    static LoadSplit of(PolicySettings settings) {
        return new LoadSplit(
                settings.number("maxIoDensity", 0.001, Double.MAX_VALUE),
                settings.number("maxBusyShare", 0.001, 1e9),
                settings.whole("ioNanosLimit", 1, Long.MAX_VALUE),
                settings.whole("maxBytes", 1 << 20, Long.MAX_VALUE),
                settings.number("minShare", 0.01, 0.5),
                settings.number("maxRangesPerCore", 0, 1e6),
                settings.number("maxCpuLoad", 0, 1),
                settings.seconds("restSeconds"),
                PlacementRules.of(settings));
    }

    @Override
    public Optional<BalanceAction> next(ClusterView view) {
        ReplicaPlacement placement = new ReplicaPlacement(view, rules);
        if (placement.isMixed()) {
            return Optional.empty();
        }
        Optional<BalanceAction> large = view.actionable().stream()
                .filter(range -> isRested(range) && range.sizeBytes() > maxBytes)
                .max(Comparator.comparingLong(RangeView::sizeBytes))
                .map(range -> new Split(
                        range.id(), range.epoch(), Optional.empty(), range.sizeBytes() + " bytes, over " + maxBytes));
        return large.isPresent() || !hasCoresFor(view, placement) ? large : byLoad(view);
    }

    private boolean isRested(RangeView range) {
        return range.stableFor().compareTo(rest) >= 0;
    }

    private boolean hasCoresFor(ClusterView view, ReplicaPlacement placement) {
        long cores = view.stores().stream()
                .filter(StoreView::isAlive)
                .mapToLong(StoreView::cores)
                .sum();
        return view.ranges().size() < maxRangesPerCore * cores
                && view.stores().stream().anyMatch(store -> placement.isUsable(store) && store.cpuLoad() < maxCpuLoad);
    }

    private Optional<BalanceAction> byLoad(ClusterView view) {
        return view.actionable().stream()
                .filter(range -> isRested(range) && range.load().measuredFor().compareTo(rest) >= 0)
                .filter(range -> isOverloaded(range.load()) && range.load().operationNanos() <= ioNanosLimit)
                .filter(range -> range.splitHint()
                        .filter(hint -> hint.smallerShare() >= minShare)
                        .isPresent())
                .max(Comparator.comparingDouble(range -> excess(range.load())))
                .map(this::split);
    }

    private boolean isOverloaded(RangeLoad load) {
        return excess(load) > 1;
    }

    /** The load relative to the limits; above 1 the range is overloaded. */
    private double excess(RangeLoad load) {
        return Math.max(load.ioDensity() / maxIoDensity, load.busyShare() / maxBusyShare);
    }

    private BalanceAction split(RangeView range) {
        RangeLoad load = range.load();
        String reason = String.format(
                Locale.ROOT,
                "%.1f operations/ms, busy %.2f; over %s or %s",
                load.ioDensity(),
                load.busyShare(),
                maxIoDensity,
                maxBusyShare);
        return new Split(range.id(), range.epoch(), range.splitHint().map(SplitHint::key), reason);
    }
}
