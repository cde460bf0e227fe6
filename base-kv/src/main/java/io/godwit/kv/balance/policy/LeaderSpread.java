package io.godwit.kv.balance.policy;

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
 * Lets stores lead in proportion to their cores. Ranges without load count a little, so that they are shared too. What
 * a store leads in earlier key spaces counts as well, so that one node does not lead a range of each. A leader moves
 * only if the receiving store will then lead less, by a margin, than the giving store did before. So each step lowers
 * the higher of the two loads, and the moves come to an end.
 *
 * @param margin share of the mean load that a step must gain
 * @param maxCpuLoad a store above this CPU load gets nothing to lead
 */
record LeaderSpread(double margin, double maxCpuLoad, PlacementRules rules) implements RangeBalancer {
    static final Map<String, String> DEFAULTS = Map.of("margin", "0.2", "maxCpuLoad", "0.9");

    static LeaderSpread of(PolicySettings settings) {
        return new LeaderSpread(
                settings.number("margin", 0.01, 10), settings.number("maxCpuLoad", 0, 1), PlacementRules.of(settings));
    }

    @Override
    public Optional<BalanceAction> next(ClusterView view) {
        ReplicaPlacement placement = new ReplicaPlacement(view, rules);
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
     * @param fromAfter load of the giving store after the move
     * @param toAfter load of the receiving store after the move
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
