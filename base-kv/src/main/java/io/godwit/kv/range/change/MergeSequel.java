package io.godwit.kv.range.change;

import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.kv.range.data.RangeDb;
import io.godwit.kv.range.leader.LeaderRole;
import io.godwit.kv.range.leader.ReadIndex;
import io.godwit.kv.range.replica.Replica;
import io.godwit.kv.range.state.RangeCommand;
import io.godwit.kv.range.state.RangeState;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Sees a merge to its end on the leaders of both ranges, whatever has become of {@link Merge}'s own run: the right one
 * finds out from the left one whether to go on or to retire, the left one settles when the right one has retired, or
 * when it has given up. Asked again and again while there is something to be done; nothing is kept here between two
 * looks, which go by the states alone. Runs on the range executor, but for the entry points, which only queue.
 */
public final class MergeSequel {
    private static final long CHECK_MILLIS = 500;

    private final Replica replica;
    private final RangeDb db;
    private final LeaderRole role;
    private final RangeChanges changes;
    private final ReadIndex confirmation;
    private final LongFunction<@Nullable MergeSequel> siblings;

    /** @param siblings of the other ranges on this node by their ids; null when there is none. Any thread */
    public MergeSequel(
            Replica replica,
            RangeDb db,
            LeaderRole role,
            RangeChanges changes,
            ReadIndex confirmation,
            LongFunction<@Nullable MergeSequel> siblings) {
        this.replica = replica;
        this.db = db;
        this.role = role;
        this.changes = changes;
        this.confirmation = confirmation;
        this.siblings = siblings;
    }

    // --- the range, as a merge sees it

    public String groupId() {
        return replica.groupId();
    }

    /** As of the last applied entry. */
    public RangeState state() {
        return db.state();
    }

    /** As {@link RangeChanges#change(RangeCommand)}. */
    public CompletableFuture<ChangeOutcome> change(RangeCommand command) {
        return changes.change(command);
    }

    /** Reads what this replica has, whoever leads. For an I/O thread. */
    public <T extends @Nullable Object> T read(Function<RangeReader, T> work) {
        return db.readSnapshot(work);
    }

    // --- to the end

    /** A leadership has begun: what another one began to absorb is given up. On the range executor. */
    public void takeUp() {
        RangeState served = replica.routed();
        if (served.phase() instanceof RangeState.Absorbing absorbing && !changes.isUnderWay()) {
            // whoever began to absorb led before
            changes.begin(new RangeCommand.Refrain(served.epoch(), absorbing.rightId()))
                    .thenAccept(outcome -> {
                        if (outcome != ChangeOutcome.DONE) {
                            checkAbsorbing(served.epoch(), absorbing.rightId());
                        }
                    });
        }
    }

    /**
     * The leader of a range that yields finds out what has become of the merge; does nothing when this is no such. Any
     * thread.
     */
    public void checkLeaving() {
        replica.execute(() -> {
            RangeState now = replica.routed();
            if (!role.isLeader() || !(now.phase() instanceof RangeState.Yielding yielding)) {
                return;
            }
            MergeSequel left = siblings.apply(yielding.leftId());
            if (left == null) {
                // a replica of it is on its way here, or the operator is needed
                replica.later(CHECK_MILLIS, this::checkLeaving);
                return;
            }
            confirmedState(left, state -> replica.execute(() -> leavingChecked(now, state)));
        });
    }

    private void leavingChecked(RangeState asked, @Nullable RangeState left) {
        if (replica.routed().epoch() != asked.epoch()) {
            return; // that has been settled
        }
        RangeCommand next = left == null ? null : next(asked, left);
        if (next == null || changes.isUnderWay()) {
            replica.later(CHECK_MILLIS, this::checkLeaving);
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
        replica.execute(() -> {
            RangeState now = replica.routed();
            if (role.isLeader()
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
    public void checkJoined() {
        replica.execute(() -> {
            RangeState now = replica.routed();
            if (!role.isLeader() || !(now.phase() instanceof RangeState.Joined joined)) {
                return;
            }
            MergeSequel right = siblings.apply(joined.rightId());
            if (!changes.isUnderWay() && (right == null || right.state().phase() instanceof RangeState.Retired)) {
                changeOrElse(new RangeCommand.Forget(now.epoch(), joined.rightId()), this::checkJoined);
                return;
            }
            if (right != null) {
                right.checkLeaving();
            }
            replica.later(CHECK_MILLIS, this::checkJoined);
        });
    }

    private void changeOrElse(RangeCommand command, Runnable check) {
        change(command).thenAccept(outcome -> {
            if (outcome != ChangeOutcome.DONE) {
                replica.later(CHECK_MILLIS, check);
            }
        });
    }

    /**
     * Tells, on any thread, the state as of all that was applied anywhere before this call; null when that cannot be
     * found out now.
     */
    private static void confirmedState(MergeSequel of, Consumer<@Nullable RangeState> then) {
        of.confirmation.request(ok -> then.accept(ok ? of.state() : null));
    }

    /**
     * What a range that yields has to do, by what its left neighbour says of itself.
     *
     * @param left a state that all that had been applied anywhere is in
     * @return null while the left one is still at it
     */
    private static @Nullable RangeCommand next(RangeState yielding, RangeState left) {
        if (left.bounds().contains(yielding.bounds().start())) {
            return new RangeCommand.Retire(yielding.epoch());
        }
        boolean isAbsorbed = left.phase() instanceof RangeState.Absorbing absorbing
                && absorbing.rightId() == yielding.id()
                && absorbing.rightEpoch() + 1 == yielding.epoch();
        return isAbsorbed ? null : new RangeCommand.Resume(yielding.epoch());
    }
}
