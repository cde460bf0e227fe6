package io.godwit.kv.balance.policy;

import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.BalanceAction.ChangeReplica;
import io.godwit.plugin.balance.BalanceAction.ChangeReplica.Step;
import io.godwit.plugin.balance.BalanceAction.MoveLeader;
import io.godwit.plugin.balance.ClusterView;
import io.godwit.plugin.balance.RangeBalancer;
import io.godwit.plugin.balance.RangeView;
import io.godwit.plugin.balance.Replica;
import java.util.List;
import java.util.Optional;

/**
 * Empties stores that are draining. Their leaders are moved first, which is quick. Then each of their voters gets a
 * replacement on another store. {@link ReplicaCount} removes the draining voter afterwards, also if no other store can
 * take it but enough voters remain.
 */
record Drain(PlacementRules rules) implements RangeBalancer {

    @Override
    public Optional<BalanceAction> next(ClusterView view) {
        ReplicaPlacement placement = new ReplicaPlacement(view, rules);
        Optional<BalanceAction> leader = Optional.empty();
        if (placement.isDraining(view.self())) {
            leader = first(view, range -> moveLeader(placement, range));
        }
        return leader.isPresent() || !placement.isMostAlive()
                ? leader
                : first(view, range -> replaceVoter(placement, range));
    }

    private interface Decision {
        Optional<BalanceAction> of(RangeView range);
    }

    private static Optional<BalanceAction> first(ClusterView view, Decision decision) {
        return view.actionable().stream()
                .flatMap(range -> decision.of(range).stream())
                .findFirst();
    }

    private static Optional<BalanceAction> moveLeader(ReplicaPlacement placement, RangeView range) {
        return placement
                .bestToLead(range)
                .map(to -> new MoveLeader(range.id(), range.epoch(), to, "the leader's store is to go"));
    }

    private static Optional<BalanceAction> replaceVoter(ReplicaPlacement placement, RangeView range) {
        List<String> voters = range.voters();
        List<String> staying =
                voters.stream().filter(voter -> !placement.isDraining(voter)).toList();
        if (staying.size() == voters.size() || placement.isAnyVoterAway(range)) {
            return Optional.empty();
        }
        String reason = "the store of a voter is to go";
        Optional<String> ready = placement.bestToAdd(range, staying, store -> placement.isReady(range, store));
        if (ready.isPresent()) {
            return ready.map(store -> new ChangeReplica(range.id(), range.epoch(), Step.PROMOTE, store, reason));
        }
        if (range.learners().stream().map(Replica::store).anyMatch(placement::isUsable)) {
            return Optional.empty(); // a replacement is still being copied
        }
        return placement
                .bestToAdd(range, staying, store -> placement.takesCopy(range, store))
                .map(store -> new ChangeReplica(range.id(), range.epoch(), Step.ADD_LEARNER, store, reason));
    }
}
