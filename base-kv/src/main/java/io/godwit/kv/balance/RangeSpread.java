package io.godwit.kv.balance;

import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.ClusterView;
import io.godwit.plugin.balance.RangeBalancer;
import io.godwit.plugin.balance.RangeView;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Has stores keep replicas in proportion to their cores and to the room on their disks. A voter is exchanged for one on
 * another store only where that store will still be under less {@linkplain Placement pressure} than the one that gives
 * was, by a margin.
 *
 * <p>One exchange at a time in the whole cluster, and none while a range lacks a voter: two begun on the same view, in
 * opposite directions, would each take the use out of the other for ever. Nobody has to be asked for that: every store
 * looks for the best exchange among all ranges, its own and the others', and only the one that leads the range begins
 * it.
 *
 * @param margin share of the mean pressure that an exchange must gain to be begun
 */
record RangeSpread(double margin, PlacementRules rules) implements RangeBalancer {
    static final Map<String, String> DEFAULTS = Map.of("margin", "0.2");

    /** That of a store with its share of work and of bytes. */
    private static final double MEAN_PRESSURE = 2;

    static RangeSpread of(PolicySettings settings) {
        return new RangeSpread(settings.number("margin", 0.01, 10), PlacementRules.of(settings));
    }

    @Override
    public Optional<BalanceAction> next(ClusterView view) {
        Placement placement = new Placement(view, rules);
        // with a replica on every store there is nothing to spread
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

    private Optional<Exchange.Swap> best(ClusterView view, Placement placement, RangeView range) {
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
