package io.godwit.kv.balance.policy;

import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.BalanceAction.ChangeReplica;
import io.godwit.plugin.balance.BalanceAction.ChangeReplica.Step;
import io.godwit.plugin.balance.ClusterView;
import io.godwit.plugin.balance.RangeView;
import io.godwit.plugin.balance.Replica;
import io.godwit.plugin.balance.StoreView;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Exchanges one voter of a range for a better store: a learner is added, catches up and is promoted; then
 * {@link ReplicaCount} removes the surplus voter. An exchange in progress is recognized by its learner and goes on as
 * long as it is useful.
 */
record Exchange(ClusterView view, ReplicaPlacement placement, RangeView range) {

    /** Selects the exchanges to consider. */
    interface Wanted {
        boolean test(RangeView range, String out, String in);
    }

    /**
     * The best exchange.
     *
     * @param margin by how much a new exchange must lower the pressure; one in progress goes on for any gain
     * @return the exchange with the fewest pairs of voters in one zone; of equals the one that lowers the pressure most
     */
    Optional<Swap> best(double margin, Wanted wanted) {
        List<String> begun = range.learners().stream()
                .map(Replica::store)
                .filter(placement::isUsable)
                .toList();
        boolean goesOn = !begun.isEmpty() && !view.goal().isOnEveryStore();
        List<String> candidates = goesOn || view.goal().isOnEveryStore()
                ? begun
                : view.stores().stream()
                        .map(StoreView::id)
                        .filter(store -> placement.takesCopy(range, store))
                        .toList();
        List<String> voters = range.voters();
        return candidates.stream()
                .flatMap(in -> placement
                        .swapFor(range, voters, in, goesOn ? 0 : margin)
                        .map(out -> new Swap(placement, range, out, in))
                        .stream())
                .filter(swap -> wanted.test(range, swap.out(), swap.in()))
                .min(Comparator.comparingInt(Swap::collisions)
                        .thenComparing(Comparator.comparingDouble(Swap::relief).reversed())
                        .thenComparing(Swap::in));
    }

    /**
     * @param out the voter to remove
     * @param in the store to add: usable, with a learner or no replica of the range
     */
    record Swap(ReplicaPlacement placement, RangeView range, String out, String in) {
        int collisions() {
            return placement.collisionsAfter(range.voters(), out, in);
        }

        /** By how much the higher of the two stores' pressures falls. */
        double relief() {
            return Math.min(placement.weight(range, out), placement.pressure(out) - placement.pressureWith(range, in));
        }

        /** The next step of the exchange; empty while the learner is being copied. */
        Optional<BalanceAction> step(String reason) {
            if (range.replicaOn(in).isEmpty()) {
                return Optional.of(new ChangeReplica(range.id(), range.epoch(), Step.ADD_LEARNER, in, reason));
            }
            if (placement.isReady(range, in)) {
                return Optional.of(new ChangeReplica(range.id(), range.epoch(), Step.PROMOTE, in, reason));
            }
            return Optional.empty();
        }
    }
}
