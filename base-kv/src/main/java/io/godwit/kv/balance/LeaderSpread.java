package io.godwit.kv.balance;

import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.BalanceAction.MoveLeader;
import io.godwit.plugin.balance.ClusterView;
import io.godwit.plugin.balance.RangeBalancer;
import io.godwit.plugin.balance.RangeView;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Has stores lead in proportion to their cores: ranges without load count a little, so that they are shared too. What
 * they lead of the key spaces that come before this one counts as well, so that not all of them are led by one node. A
 * leader moves only where the store that gets it will still have less to lead than the one that gives had, by a margin:
 * so each step lowers the higher of two loads, and there is an end of them.
 *
 * @param margin share of the mean load that a step must gain
 * @param maxCpuLoad above which a store is given nothing to lead
 */
record LeaderSpread(double margin, double maxCpuLoad, PlacementRules rules) implements RangeBalancer {
    static final Map<String, String> DEFAULTS = Map.of("margin", "0.2", "maxCpuLoad", "0.9");

    static LeaderSpread of(PolicySettings settings) {
        return new LeaderSpread(
                settings.number("margin", 0.01, 10), settings.number("maxCpuLoad", 0, 1), PlacementRules.of(settings));
    }

    @Override
    public Optional<BalanceAction> next(ClusterView view) {
        Placement placement = new Placement(view, rules);
        String self = view.self();
        if (!placement.isQuiet() || !placement.isUsable(self)) {
            return Optional.empty();
        }
        double before = placement.leaderPressure(self);
        double least = margin * placement.meanLeaderPressure();
        return view.actionable().stream()
                .filter(range -> range.load().measuredFor().compareTo(rules.settle()) >= 0)
                .flatMap(range -> placement.leadersInWaiting(range).stream()
                        .filter(to -> placement.store(to).cpuLoad() <= maxCpuLoad)
                        .map(to -> new Move(
                                range,
                                to,
                                before - placement.leaderWeight(range, self),
                                placement.leaderPressure(to) + placement.leaderWeight(range, to))))
                .filter(move -> move.toAfter() + least <= before)
                .min(Comparator.comparingDouble(Move::higherAfter)
                        .thenComparing(move -> move.range().id())
                        .thenComparing(Move::to))
                .map(move -> move.action(before));
    }

    /**
     * @param fromAfter load of the store that gives, after it
     * @param toAfter of the one that gets
     */
    private record Move(RangeView range, String to, double fromAfter, double toAfter) {
        double higherAfter() {
            return Math.max(fromAfter, toAfter);
        }

        BalanceAction action(double before) {
            return new MoveLeader(
                    range.id(),
                    range.epoch(),
                    to,
                    String.format(
                            Locale.ROOT,
                            "leads %.0f operations/s a core, %.0f after it; %s will lead %.0f",
                            before,
                            fromAfter,
                            to,
                            toAfter));
        }
    }
}
