package io.godwit.kv.range;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sees a merge to its end on the leaders of both ranges, whatever has become of {@link Merge}'s own run: the right one
 * finds out from the left one whether to go on or to retire, the left one settles when the right one has retired, or
 * when it has given up. Asked again and again while there is something to be done; nothing is kept here between two
 * looks, which go by the states alone. Runs on the range executor, but for the entry points, which only queue.
 */
final class MergeSequel {
    private static final long CHECK_MILLIS = 500;

    private final Range range;
    private final RangeFamily family;
    private final RangeExecutor executor;
    private final LeaderRole role;
    private final RangeChanges changes;

    MergeSequel(Range range, RangeFamily family, RangeExecutor executor, LeaderRole role, RangeChanges changes) {
        this.range = range;
        this.family = family;
        this.executor = executor;
        this.role = role;
        this.changes = changes;
    }

    /**
     * The leader of a range that yields finds out what has become of the merge; does nothing when this is no such. Any
     * thread.
     */
    void checkLeaving() {
        executor.execute(() -> {
            RangeState now = range.routed();
            if (!role.isLeader() || range.hasEnded() || !(now.phase() instanceof RangeState.Yielding yielding)) {
                return;
            }
            Range left = family.find(yielding.leftId());
            if (left == null) {
                // a replica of it is on its way here, or the operator is needed
                range.later(CHECK_MILLIS, this::checkLeaving);
                return;
            }
            confirmedState(left, state -> executor.execute(() -> leavingChecked(now, state)));
        });
    }

    private void leavingChecked(RangeState asked, @Nullable RangeState left) {
        if (range.routed().epoch() != asked.epoch()) {
            return; // that has been settled
        }
        RangeCommand next = left == null ? null : Merge.next(asked, left);
        if (next == null || changes.isUnderWay()) {
            range.later(CHECK_MILLIS, this::checkLeaving);
        } else {
            changeOrElse(next, this::checkLeaving);
        }
    }

    /**
     * The leader of a range that was to absorb another, and does not any more, says so until it is written; does
     * nothing when this is no such. Any thread.
     *
     * @param epoch of the range, which absorbing does not change
     */
    void checkAbsorbing(long epoch, long rightId) {
        executor.execute(() -> {
            RangeState now = range.routed();
            if (role.isLeader()
                    && !range.hasEnded()
                    && now.epoch() == epoch
                    && now.phase() instanceof RangeState.Absorbing absorbing
                    && absorbing.rightId() == rightId) {
                changeOrElse(new RangeCommand.Refrain(epoch, rightId), () -> checkAbsorbing(epoch, rightId));
            }
        });
    }

    /**
     * The leader of a range that has joined another goes on when that one has retired; does nothing when this is no
     * such. Any thread.
     */
    void checkJoined() {
        executor.execute(() -> {
            RangeState now = range.routed();
            if (!role.isLeader() || range.hasEnded() || !(now.phase() instanceof RangeState.Joined joined)) {
                return;
            }
            Range right = family.find(joined.rightId());
            if (!changes.isUnderWay() && (right == null || right.state().phase() instanceof RangeState.Retired)) {
                changeOrElse(new RangeCommand.Forget(now.epoch(), joined.rightId()), this::checkJoined);
                return;
            }
            if (right != null) {
                right.checkLeaving();
            }
            range.later(CHECK_MILLIS, this::checkJoined);
        });
    }

    private void changeOrElse(RangeCommand command, Runnable check) {
        range.change(command).thenAccept(outcome -> {
            if (outcome != Range.ChangeOutcome.DONE) {
                range.later(CHECK_MILLIS, check);
            }
        });
    }

    /**
     * Tells, on any thread, the state as of all that was applied anywhere before this call; null when that cannot be
     * found out now.
     */
    private static void confirmedState(Range of, Consumer<@Nullable RangeState> then) {
        of.confirm(ok -> then.accept(ok ? of.state() : null));
    }
}
