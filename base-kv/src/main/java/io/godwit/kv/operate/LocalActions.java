package io.godwit.kv.operate;

import io.godwit.kv.balance.ActionExecutor;
import io.godwit.kv.balance.ActionOutcome;
import io.godwit.kv.peers.ClusterLinks;
import io.godwit.kv.range.Range;
import io.godwit.kv.range.change.ChangeOutcome;
import io.godwit.kv.range.leader.KnownLeadership;
import io.godwit.kv.remote.ReplicaReport;
import io.godwit.kv.store.StoreRanges;
import io.godwit.kv.wire.NodeAnswer.OutcomeCase;
import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.BalanceAction.ChangeReplica;
import io.godwit.plugin.balance.BalanceAction.Merge;
import io.godwit.plugin.balance.BalanceAction.MoveLeader;
import io.godwit.plugin.balance.BalanceAction.Split;
import io.godwit.plugin.balance.Key;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Carries out actions on the ranges of one store that this node leads. Any thread; does not block. */
final class LocalActions implements ActionExecutor {
    private static final long HAND_OVER_MILLIS = 5_000;
    private static final long SERVING_LOOK_MILLIS = 25;
    /** A new leader first applies what it has not applied yet; its report comes within milliseconds after that. */
    private static final int MAX_SERVING_LOOKS = 400;

    private static final Executor LATER = CompletableFuture.delayedExecutor(SERVING_LOOK_MILLIS, TimeUnit.MILLISECONDS);

    private final StoreRanges ranges;
    private final String self;
    private final @Nullable ClusterLinks links;

    /** @param links null if this node is not in a cluster */
    LocalActions(StoreRanges ranges, String self, @Nullable ClusterLinks links) {
        this.ranges = ranges;
        this.self = self;
        this.links = links;
    }

    @Override
    public CompletableFuture<ActionOutcome> execute(BalanceAction action) {
        return carryOut(action).thenApply(OperationResult::outcome);
    }

    /** Completes on any thread, never with a failure. */
    CompletableFuture<OperationResult> carryOut(BalanceAction action) {
        Range range = ranges.find(action.rangeId());
        if (range == null || range.leading() == null) {
            return ended(ActionOutcome.STALE, "range " + action.rangeId() + " is not led by this node, " + self);
        }
        long epoch = range.state().epoch();
        if (epoch != action.epoch()) {
            return ended(
                    ActionOutcome.STALE,
                    "range " + action.rangeId() + " has epoch " + epoch + ", not " + action.epoch());
        }
        CompletableFuture<OperationResult> result;
        if (action instanceof Split split) {
            result = split(range, split);
        } else if (action instanceof Merge merge) {
            result = merge(merge);
        } else if (action instanceof ChangeReplica change) {
            result = change(range, change);
        } else if (action instanceof MoveLeader move) {
            result = move(range, move);
        } else {
            return ended(ActionOutcome.REFUSED, "not known here: " + action);
        }
        return result.exceptionally(
                failure -> new OperationResult(ActionOutcome.FAILED, String.valueOf(failure.getMessage())));
    }

    private CompletableFuture<OperationResult> split(Range range, Split split) {
        byte @Nullable [] key = split.key().map(Key::bytes).orElse(null);
        return ranges.split(split.rangeId(), split.epoch(), key)
                .thenApply(outcome -> outcome == ChangeOutcome.DONE || outcome == ChangeOutcome.UNKNOWN
                        ? resultOf(outcome)
                        : notSplit(range, split.epoch(), key, outcome));
    }

    /** {@code STALE} if a new look at the range may help, else {@code REFUSED}. */
    private static OperationResult notSplit(Range range, long epoch, byte @Nullable [] key, ChangeOutcome outcome) {
        return new OperationResult(
                range.state().epoch() == epoch ? ActionOutcome.REFUSED : ActionOutcome.STALE,
                range.whyNotSplit(epoch, key, outcome));
    }

    /**
     * Merges if this node leads both ranges. Otherwise it asks the leader of the right one to hand it over and refuses;
     * the caller tries again.
     */
    private CompletableFuture<OperationResult> merge(Merge merge) {
        Range right = ranges.find(merge.rightId());
        if (right != null && right.leading() != null) {
            return ranges.merge(merge.rangeId(), merge.epoch(), merge.rightId(), merge.rightEpoch())
                    .thenApply(LocalActions::resultOf);
        }
        String leader = right == null ? "" : right.leader();
        if (links == null || leader.isEmpty() || leader.equals(self)) {
            return ended(ActionOutcome.REFUSED, "range " + merge.rightId() + " has no replica here, or no leader");
        }
        MoveLeader here = new MoveLeader(merge.rightId(), merge.rightEpoch(), self, "to be merged: " + merge.reason());
        return links.rpc()
                .ask(
                        leader,
                        ActionCodec.question(new ActionCodec.Request(ranges.name(), HAND_OVER_MILLIS, here)),
                        OutcomeCase.RESULT,
                        HAND_OVER_MILLIS)
                .thenApply(answer -> new OperationResult(
                        ActionOutcome.REFUSED,
                        "range " + merge.rightId() + " was led by " + leader
                                + ", and is being handed over: ask again"));
    }

    private CompletableFuture<OperationResult> change(Range range, ChangeReplica change) {
        String store = change.store();
        boolean isVoter = range.state().members().voters().contains(store);
        boolean isLearner = range.state().members().learners().contains(store);
        return switch (change.step()) {
            case ADD_LEARNER ->
                isVoter || isLearner
                        ? ended(ActionOutcome.REFUSED, store + " has a replica")
                        : addLearner(range, change);
            case PROMOTE ->
                !isLearner
                        ? ended(ActionOutcome.REFUSED, store + " is no learner")
                        // for a moment it is neither, which would break off a copy in progress
                        : !hasCaughtUp(range, store)
                                ? ended(ActionOutcome.REFUSED, store + " has not caught up yet")
                                : range.voters().promote(change.epoch(), store).thenApply(LocalActions::resultOf);
            case DEMOTE ->
                !isVoter || store.equals(self)
                        ? ended(ActionOutcome.REFUSED, store + " is no voter, or leads")
                        : orWhyNot(range, store, () -> range.voters().demote(change.epoch(), store));
            case REMOVE ->
                !isVoter && !isLearner || store.equals(self)
                        ? ended(ActionOutcome.REFUSED, store + " has no replica, or leads")
                        : orWhyNot(range, store, () -> range.voters().remove(change.epoch(), store));
        };
    }

    /** Takes a vote away, unless the other voters need it; a learner has none. */
    private CompletableFuture<OperationResult> orWhyNot(
            Range range, String store, Supplier<CompletableFuture<ChangeOutcome>> change) {
        List<String> voters = range.state().members().voters();
        Optional<String> whyNot = voters.contains(store)
                ? RemainingVoters.whyNot(voters, store, voter -> voter.equals(self) || countsOn(range, voter))
                : Optional.empty();
        return whyNot.map(why -> ended(ActionOutcome.REFUSED, why))
                .orElseGet(() -> change.get().thenApply(LocalActions::resultOf));
    }

    private boolean countsOn(Range range, String voter) {
        return links != null && links.members().isAlive(voter) && hasCaughtUp(range, voter);
    }

    /** Whether the replica on {@code store} had caught up according to its last report. */
    private boolean hasCaughtUp(Range range, String store) {
        return links != null
                && told(links, store, range.id())
                        .filter(replica -> replica.isCaughtUpTo(range.lastLogIndex()))
                        .isPresent();
    }

    /** The last report about the replica of a range on {@code store}; empty if there is none. */
    private Optional<ReplicaReport> told(ClusterLinks cluster, String store, long rangeId) {
        return Optional.ofNullable(cluster.exchange().reports().get(store))
                .flatMap(report -> report.replicas().getOrDefault(ranges.name(), List.of()).stream()
                        .filter(replica -> replica.rangeId() == rangeId)
                        .findFirst());
    }

    private CompletableFuture<OperationResult> addLearner(Range range, ChangeReplica change) {
        if (links == null) {
            return ended(ActionOutcome.REFUSED, "this node is alone");
        }
        return links.replicas()
                .createOn(change.store(), ranges.name(), change.rangeId())
                .thenCompose(created -> range.voters().addLearner(change.epoch(), change.store()))
                .thenApply(LocalActions::resultOf);
    }

    private CompletableFuture<OperationResult> move(Range range, MoveLeader move) {
        if (!range.state().members().voters().contains(move.to()) || move.to().equals(self)) {
            return ended(ActionOutcome.REFUSED, move.to() + " is no voter, or leads already");
        }
        // nothing is written during a hand-over, and one to an absent node lasts an election timeout
        if (links == null
                || !links.members().isAlive(move.to())
                || !links.cluster().channels().isConnected(move.to())) { // the node may have died a moment ago
            return ended(ActionOutcome.REFUSED, move.to() + " is not there");
        }
        if (hasStopped(told(links, move.to(), range.id()))) {
            return ended(ActionOutcome.REFUSED, "the replica on " + move.to() + " has stopped after a fault");
        }
        KnownLeadership own = range.leading();
        if (own == null) {
            return ended(ActionOutcome.STALE, "range " + range.id() + " is not led by this node, " + self);
        }
        HandOver handOver = new HandOver(links, range, move.to(), own.token().term());
        return range.transfer(move.epoch(), move.to()).thenCompose(outcome -> switch (outcome) {
            case DONE -> awaitServing(handOver, 0);
            case UNKNOWN -> notLed(handOver);
            case STALE, BUSY -> CompletableFuture.completedFuture(resultOf(outcome));
        });
    }

    /** @param term of the leadership that ends */
    private record HandOver(ClusterLinks cluster, Range range, String heir, long term) {}

    /** Completes with {@code DONE} when the elected heir reports that it serves. */
    private CompletableFuture<OperationResult> awaitServing(HandOver handOver, int looks) {
        String heir = handOver.heir();
        Optional<ReplicaReport> told =
                told(handOver.cluster(), heir, handOver.range().id());
        if (told.flatMap(ReplicaReport::leading)
                .filter(leading -> leading.term() > handOver.term())
                .isPresent()) {
            return CompletableFuture.completedFuture(OperationResult.DONE);
        } else if (!handOver.range().leader().equals(heir)) {
            return notLed(handOver);
        } else if (hasStopped(told) || looks >= MAX_SERVING_LOOKS) {
            return ended(ActionOutcome.FAILED, heir + " was elected, but does not serve the range yet");
        }
        return CompletableFuture.supplyAsync(() -> awaitServing(handOver, looks + 1), LATER)
                .thenCompose(Function.identity());
    }

    private static CompletableFuture<OperationResult> notLed(HandOver handOver) {
        String leader = handOver.range().leader();
        return ended(
                ActionOutcome.FAILED,
                "the leadership was handed over, but not to " + handOver.heir() + ": "
                        + (leader.isEmpty() ? "there is no leader yet" : leader + " leads"));
    }

    private static boolean hasStopped(Optional<ReplicaReport> told) {
        return told.filter(replica -> !replica.fault().isEmpty()).isPresent();
    }

    private static OperationResult resultOf(ChangeOutcome outcome) {
        return switch (outcome) {
            case DONE -> OperationResult.DONE;
            case STALE ->
                new OperationResult(ActionOutcome.STALE, "the range has changed, or cannot be changed in this way");
            case BUSY ->
                new OperationResult(
                        ActionOutcome.REFUSED,
                        "another change of the range is under way, or Raft refused: see the log");
            case UNKNOWN ->
                new OperationResult(ActionOutcome.FAILED, "the leadership ended, the change may or may not be done");
        };
    }

    private static CompletableFuture<OperationResult> ended(ActionOutcome outcome, String detail) {
        return CompletableFuture.completedFuture(new OperationResult(outcome, detail));
    }
}
