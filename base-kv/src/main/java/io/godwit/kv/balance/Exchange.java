package io.godwit.kv.balance;

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
 * The exchange of one voter of a range for a store that is better: a learner is added, it catches up, is promoted, and
 * {@link ReplicaCount} gives up the voter then too many. An exchange that has begun is known by its learner, and goes
 * on as long as it is of any use.
 */
record Exchange(ClusterView view, Placement placement, RangeView range) {

    /** Which exchanges to consider. */
    interface Wanted {
        boolean test(RangeView range, String out, String in);
    }

    /**
     * @param margin by which it must lower the pressure to be begun; one that has begun goes on for less
     * @return the one that parts most voters of a zone, then the one that lowers the pressure most
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
     * @param out a voter
     * @param in a usable store with a learner or none
     */
    record Swap(Placement placement, RangeView range, String out, String in) {
        int collisions() {
            return placement.collisionsAfter(range.voters(), out, in);
        }

        /** By how much the higher pressure of the two falls. */
        double relief() {
            return Math.min(placement.weight(range, out), placement.pressure(out) - placement.pressureWith(range, in));
        }

        /** Empty while the learner copies. */
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
