package io.godwit.kv.balance;

import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.BalanceAction.ChangeReplica;
import io.godwit.plugin.balance.BalanceAction.Merge;
import io.godwit.plugin.balance.BalanceAction.MoveLeader;
import io.godwit.plugin.balance.BalanceAction.Split;
import io.godwit.plugin.balance.ClusterView;
import io.godwit.plugin.balance.RangeChange;
import io.godwit.plugin.balance.RangeView;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One action, from its begin until the view shows its effect. Confined to the loop's thread. */
final class ActionWatch {
    private final BalancerSlot slot;
    private final BalanceAction action;
    private final long beganNanos;
    private @Nullable ActionOutcome outcome;
    private long endedNanos;

    ActionWatch(BalancerSlot slot, BalanceAction action, long beganNanos) {
        this.slot = slot;
        this.action = action;
        this.beganNanos = beganNanos;
    }

    BalancerSlot slot() {
        return slot;
    }

    BalanceAction action() {
        return action;
    }

    long beganNanos() {
        return beganNanos;
    }

    /** Null while the action is in progress. */
    @Nullable
    ActionOutcome outcome() {
        return outcome;
    }

    void end(ActionOutcome how, long nowNanos) {
        outcome = how;
        endedNanos = nowNanos;
    }

    long endedNanos() {
        return endedNanos;
    }

    boolean concerns(long rangeId) {
        return action.rangeId() == rangeId || action instanceof Merge merge && merge.rightId() == rangeId;
    }

    RangeChange change() {
        return changeOf(action);
    }

    static RangeChange changeOf(BalanceAction action) {
        if (action instanceof Split) {
            return RangeChange.SPLIT;
        }
        if (action instanceof Merge) {
            return RangeChange.MERGE;
        }
        return action instanceof MoveLeader ? RangeChange.LEADER : RangeChange.REPLICAS;
    }

    /** Whether the view shows a state after the action took effect. */
    boolean isShownBy(ClusterView view) {
        Optional<RangeView> range = view.range(action.rangeId());
        if (range.isEmpty() || range.get().epoch() > action.epoch()) {
            return true;
        }
        if (action instanceof MoveLeader) {
            return !range.get().isLedBy(view.self());
        }
        if (action instanceof Merge merge) {
            return view.range(merge.rightId()).isEmpty();
        }
        if (action instanceof ChangeReplica change) {
            return isShownBy(change, range.get());
        }
        return false;
    }

    private static boolean isShownBy(ChangeReplica change, RangeView range) {
        boolean isVoter = range.voters().contains(change.store());
        boolean isReplica = range.replicaOn(change.store()).isPresent();
        return switch (change.step()) {
            case ADD_LEARNER -> isReplica;
            case PROMOTE -> isVoter;
            case DEMOTE -> isReplica && !isVoter;
            case REMOVE -> !isReplica;
        };
    }
}
