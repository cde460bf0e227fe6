package io.godwit.kv.balance;

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
 * Gives every range the voters that are configured, in different zones where there are such, and a new one for each
 * whose store is gone. It also ends what the other balancers begin: a voter too many is given up here, and so is a
 * learner that is of no use any more.
 *
 * <p>A voter is lost only after a new one has caught up and votes, unless there is one too many. While a voter is away
 * but not gone nothing is changed: it is being restarted, and every change would cost more than waiting. While most
 * stores are away nothing is changed either.
 *
 * <p>A voter that has stopped after a fault of its own is replaced as one whose store is gone, after the same grace
 * period. Where no other store can take a replica it is begun anew in its place: it is made no voter, which takes
 * nothing from the majority that there is, since it does not vote; its store, told that it is no member, keeps the
 * damaged files aside; then the range has a voter too few, and gets one where there was one. It must not come back
 * blank under its old vote: it could help elect somebody who lacks what it had acknowledged. Once for each range and
 * store: the store does not offer it again while the files are there.
 */
record ReplicaCount(PlacementRules rules) implements RangeBalancer {

    @Override
    public Optional<BalanceAction> next(ClusterView view) {
        Placement placement = new Placement(view, rules);
        if (!placement.isMostAlive()) {
            return Optional.empty();
        }
        return new Decision(view, placement, VoterCount.of(view.goal().voters(), placement.lastingStores())).next();
    }

    private record Decision(ClusterView view, Placement placement, VoterCount count) {

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

        /** One too many: the end of an exchange, or the goal has been lowered. */
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
            boolean stays = view.goal().isOnEveryStore() && placement.isAlive(store) && !placement.isDraining(store);
            return Optional.of(change(range, stays ? Step.DEMOTE : Step.REMOVE, store, reason));
        }

        /** One too few, or one whose store is gone. */
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
            // all that are missing at once, so that the range passes an even number quickly
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

        /** Not while the nodes are being upgraded: it is the next one's turn to restart. */
        private Optional<BalanceAction> beginAnew(RangeView range) {
            if (placement.isMixed()) {
                return Optional.empty();
            }
            return range.voters().stream()
                    .filter(voter -> placement.canBeginAnew(range, voter)
                            && placement.keepsMajority(range, Placement.without(range.voters(), voter)))
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
                if (placement.isDraining(store)) {
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

        /** Whether the learner is on its way to replace a voter, or to be one more. */
        private boolean isOfUse(RangeView range, String learner) {
            List<String> voters = range.voters();
            return voters.size() < count.wanted()
                    || voters.stream()
                            .anyMatch(voter -> !placement.takesPart(range, voter) || placement.isDraining(voter))
                    || count.allowsExchange(range)
                            && placement.swapFor(range, voters, learner, 0).isPresent();
        }

        /** Two voters in one zone while another zone has none: the exchange that parts them. */
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
