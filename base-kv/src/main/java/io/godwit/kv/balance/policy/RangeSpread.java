package io.godwit.kv.balance.policy;

import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.ClusterView;
import io.godwit.plugin.balance.RangeBalancer;
import io.godwit.plugin.balance.RangeView;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Distributes replicas in proportion to the stores' cores and disk room. A voter is exchanged for one on another store
 * only if that store will then be under less {@linkplain ReplicaPlacement pressure}, by a margin, than the giving store
 * was before.
 *
 * <p>At most one exchange is in progress in the whole cluster, and none while a range lacks a voter: two exchanges in
 * opposite directions, begun on the same view, would undo each other forever. This needs no coordination: every store
 * computes the best exchange over all ranges, and only the store that leads that range begins it.
 *
 * @param margin share of the mean pressure that an exchange must gain to be begun
 */
record RangeSpread(double margin, PlacementRules rules) implements RangeBalancer {
    static final Map<String, String> DEFAULTS = Map.of("margin", "0.2");

    /** The pressure on a store that has just its share of work and of bytes. */
    private static final double MEAN_PRESSURE = 2;

    static RangeSpread of(PolicySettings settings) {
        return new RangeSpread(settings.number("margin", 0.01, 10), PlacementRules.of(settings));
    }

    @Override
    public Optional<BalanceAction> next(ClusterView view) {
        ReplicaPlacement placement = new ReplicaPlacement(view, rules);
        // there is nothing to spread if every store has a replica
        if (!placement.isQuiet() || placement.isMixed() || view.goal().isOnEveryStore()) {
            return Optional.empty();
        }
        VoterCount count = VoterCount.of(view.goal().voters(), placement.lastingStores());
        Optional<BalanceAction> begun = view.actionable().stream()
                .filter(range -> !range.learners().isEmpty() && count.allowsExchange(range))
                .flatMap(range -> best(view, placement, range).stream())
                .flatMap(swap -> swap.step(reason(swap)).stream())
                .findFirst();
        if (begun.isPresent() || view.ranges().stream().anyMatch(range -> isUnderWay(count, range))) {
            return begun;
        }
        return view.ranges().stream()
                .filter(range -> range.change().isEmpty() && count.allowsExchange(range))
                .flatMap(range -> best(view, placement, range).stream())
                .max(Comparator.comparingDouble(Exchange.Swap::relief)
                        .thenComparing(swap -> swap.range().id()))
                .filter(swap -> swap.range().isLedBy(view.self()))
                .flatMap(swap -> swap.step(reason(swap)));
    }

    private static boolean isUnderWay(VoterCount count, RangeView range) {
        return !range.learners().isEmpty() || range.voters().size() != count.wanted();
    }

    private Optional<Exchange.Swap> best(ClusterView view, ReplicaPlacement placement, RangeView range) {
        return new Exchange(view, placement, range)
                .best(margin * MEAN_PRESSURE, (of, out, in) -> !placement.separates(of, out, in));
    }

    private static String reason(Exchange.Swap swap) {
        return String.format(
                Locale.ROOT,
                "pressure %.2f on %s, %.2f on %s with it",
                swap.placement().pressure(swap.out()),
                swap.out(),
                swap.placement().pressureWith(swap.range(), swap.in()),
                swap.in());
    }
}
