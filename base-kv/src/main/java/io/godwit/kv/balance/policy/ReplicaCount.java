package io.godwit.kv.balance.policy;

import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.BalanceAction.ChangeReplica;
import io.godwit.plugin.balance.BalanceAction.ChangeReplica.Step;
import io.godwit.plugin.balance.BalanceAction.MoveLeader;
import io.godwit.plugin.balance.ClusterView;
import io.godwit.plugin.balance.RangeBalancer;
import io.godwit.plugin.balance.RangeView;
import io.godwit.plugin.balance.Replica;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Gives every range the configured number of voters, in different zones if possible, and replaces each voter whose
 * store is gone. It also finishes what other balancers begin: it removes surplus voters, and learners that are no
 * longer useful.
 *
 * <p>A voter is removed only after its replacement has caught up and votes, unless there is a surplus. While a voter is
 * away but not gone, nothing is changed: it is probably restarting, and a change would cost more than waiting. While
 * most stores are away, nothing is changed either.
 *
 * <p>A voter that has stopped after a fault of its own is replaced like one whose store is gone, after the same grace
 * period. If no other store can take a replica, it is made again on its own store. First it is removed from the voters;
 * it does not vote, so this takes nothing from the majority. Its store then learns that it is no member and keeps the
 * damaged files aside. After that the range lacks a voter and gets one on the same store. The replica must not return
 * empty with its old vote, because it could help to elect a replica that lacks what it had acknowledged. This happens
 * once per range and store: the store does not offer it again while the files are there.
 */
record ReplicaCount(PlacementRules rules) implements RangeBalancer {

    @Override
    public Optional<BalanceAction> next(ClusterView view) {
        ReplicaPlacement placement = new ReplicaPlacement(view, rules);
        if (!placement.isMostAlive()) {
            return Optional.empty();
        }
        return new Decision(view, placement, VoterCount.of(view.goal().voters(), placement.lastingStores())).next();
    }

    private record Decision(ClusterView view, ReplicaPlacement placement, VoterCount count) {

        Optional<BalanceAction> next() {
            List<RangeView> ranges = view.actionable().stream()
                    .sorted(Comparator.comparingLong(placement::margin).thenComparing(RangeView::id))
                    .toList();
            List<Function<RangeView, Optional<BalanceAction>>> steps =
                    List.of(this::giveUpVoter, this::addVoter, this::tidyLearners, this::separateZones);
            return steps.stream()
                    .flatMap(step -> ranges.stream().map(step).flatMap(Optional::stream))
                    .findFirst();
        }

        /** Removes a surplus voter, after an exchange or when the goal was lowered. */
        private Optional<BalanceAction> giveUpVoter(RangeView range) {
            int voters = range.voters().size();
            if (voters <= count.wanted() || placement.isAnyVoterAway(range)) {
                return Optional.empty();
            }
            Optional<String> surplus = placement
                    .bestToRemove(range)
                    .filter(store -> voters > count.ceiling() || placement.isDraining(store));
            if (surplus.isEmpty()) {
                return Optional.empty();
            }
            String store = surplus.get();
            String reason = voters + " voters, " + count.wanted() + " are enough";
            if (range.isLedBy(store)) {
                return placement
                        .bestToLead(range)
                        .map(to -> new MoveLeader(range.id(), range.epoch(), to, reason + "; the leader is to go"));
            }
            // also on a draining store, whose node serves its clients from the learner until it is stopped
            boolean stays = view.goal().isOnEveryStore() && placement.isAlive(store);
            return Optional.of(change(range, stays ? Step.DEMOTE : Step.REMOVE, store, reason));
        }

        /** Adds a voter if one is missing or the store of one is gone. */
        private Optional<BalanceAction> addVoter(RangeView range) {
            List<String> voters = range.voters();
            List<String> lasting = voters.stream()
                    .filter(voter -> !placement.isLost(range, voter))
                    .toList();
            int missing = count.wanted() - voters.size();
            int need = missing > 0 ? missing : lasting.size() < voters.size() ? 1 : 0;
            if (need == 0 || placement.isAnyVoterAway(range)) {
                return Optional.empty();
            }
            String reason = missing > 0
                    ? voters.size() + " voters, " + count.wanted() + " wanted"
                    : "a voter has stopped for good, or its store is gone";
            long ready = range.learners().stream()
                    .filter(learner -> placement.isReady(range, learner.store()))
                    .count();
            long copying = range.learners().stream()
                    .filter(learner ->
                            !learner.isCaughtUp() && learner.fault().isEmpty() && placement.isUsable(learner.store()))
                    .count();
            // promotes all missing voters at once, so that an even number of voters does not last
            if (ready >= need) {
                return promote(range, lasting, reason);
            }
            if (ready + copying < need) {
                Optional<String> store =
                        placement.bestToAdd(range, lasting, candidate -> placement.takesCopy(range, candidate));
                if (store.isPresent()) {
                    return Optional.of(change(range, Step.ADD_LEARNER, store.get(), reason));
                }
                if (copying == 0 && ready > 0 && (voters.size() + ready) % 2 == 1) {
                    return promote(range, lasting, reason);
                }
                if (copying == 0 && ready == 0 && missing <= 0) {
                    return beginAnew(range);
                }
            }
            return Optional.empty();
        }

        /** Not during a rolling upgrade, because another voter may be about to restart. */
        private Optional<BalanceAction> beginAnew(RangeView range) {
            if (placement.isMixed()) {
                return Optional.empty();
            }
            return range.voters().stream()
                    .filter(voter -> placement.canBeginAnew(range, voter)
                            && placement.keepsMajority(range, ReplicaPlacement.without(range.voters(), voter)))
                    .findFirst()
                    .map(voter -> change(
                            range,
                            Step.REMOVE,
                            voter,
                            "stopped after a fault, to be copied anew; its files are kept aside there"));
        }

        private Optional<BalanceAction> promote(RangeView range, List<String> others, String reason) {
            return placement
                    .bestToAdd(range, others, candidate -> placement.isReady(range, candidate))
                    .map(store -> change(range, Step.PROMOTE, store, reason));
        }

        private Optional<BalanceAction> tidyLearners(RangeView range) {
            for (Replica learner : range.learners()) {
                String store = learner.store();
                if (placement.isGone(store)) {
                    return Optional.of(change(range, Step.REMOVE, store, "the store of a learner is gone"));
                }
                if (placement.isDraining(store) && !view.goal().isOnEveryStore()) {
                    return Optional.of(change(range, Step.REMOVE, store, "the store of a learner is to go"));
                }
                if (placement.canBeginAnew(range, store) && !placement.isMixed()) {
                    return Optional.of(change(range, Step.REMOVE, store, "a learner has stopped after a fault"));
                }
                if (!view.goal().isOnEveryStore() && placement.isUsable(store) && !isOfUse(range, store)) {
                    return Optional.of(change(range, Step.REMOVE, store, "a learner of no use"));
                }
            }
            if (!view.goal().isOnEveryStore()) {
                return Optional.empty();
            }
            return placement
                    .bestToMirror(range)
                    .map(store -> change(range, Step.ADD_LEARNER, store, "every store is to have a replica"));
        }

        /** Whether the learner is meant to replace a voter or to become an additional one. */
        private boolean isOfUse(RangeView range, String learner) {
            List<String> voters = range.voters();
            return voters.size() < count.wanted()
                    || voters.stream()
                            .anyMatch(voter -> !placement.takesPart(range, voter) || placement.isDraining(voter))
                    || count.allowsExchange(range)
                            && placement.swapFor(range, voters, learner, 0).isPresent();
        }

        /** Exchanges a voter if two share a zone while another zone has none. */
        private Optional<BalanceAction> separateZones(RangeView range) {
            if (!count.allowsExchange(range) || !placement.isQuiet()) {
                return Optional.empty();
            }
            return new Exchange(view, placement, range)
                    .best(0, placement::separates)
                    .flatMap(swap -> swap.step("two voters share a zone"));
        }

        private static ChangeReplica change(RangeView range, Step step, String store, String reason) {
            return new ChangeReplica(range.id(), range.epoch(), step, store, reason);
        }
    }
}
