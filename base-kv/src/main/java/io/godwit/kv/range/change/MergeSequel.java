package io.godwit.kv.range.change;

import com.alipay.sofa.jraft.Status;
import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.kv.raft.RaftGroup;
import io.godwit.kv.range.data.RangeDb;
import io.godwit.kv.range.leader.LeaderRole;
import io.godwit.kv.range.leader.ReadIndex;
import io.godwit.kv.range.replica.Replica;
import io.godwit.kv.range.state.RangeCommand;
import io.godwit.kv.range.state.RangeState;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Completes a merge on the leaders of both ranges, even if {@link Merge}'s own run has ended early: the right range
 * asks the left one whether to serve again or to retire; the left range settles when the right one has retired, or when
 * it has given up. The checks repeat while there is something to do. They depend on the ranges' states alone, and
 * nothing is stored between two checks. Runs on the range executor; the entry points only queue.
 */
public final class MergeSequel {
    private static final Logger LOG = LoggerFactory.getLogger(MergeSequel.class);
    private static final long CHECK_MILLIS = 500;
    /** A replica of the left range may be on its way to this node, or get a leader. */
    private static final int CHECKS_OF_A_TURN = 6;

    private final Replica replica;
    private final RangeDb db;
    private final LeaderRole role;
    private final RangeChanges changes;
    private final ReadIndex confirmation;
    private final Siblings siblings;
    /** How many checks in a row could not be answered here. */
    private int missing;

    /** Other ranges on this node. Any thread. */
    public interface Siblings {
        /** Null if there is none. */
        @Nullable
        MergeSequel ofId(long id);

        /** See {@link io.godwit.kv.range.RangeFamily#leftOf}. */
        @Nullable
        MergeSequel leftOf(byte[] key);
    }

    public MergeSequel(
            Replica replica,
            RangeDb db,
            LeaderRole role,
            RangeChanges changes,
            ReadIndex confirmation,
            Siblings siblings) {
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

    /** The state after the last applied entry. */
    public RangeState state() {
        return db.state();
    }

    /** See {@link RangeChanges#change(RangeCommand)}. */
    public CompletableFuture<ChangeOutcome> change(RangeCommand command) {
        return changes.change(command);
    }

    /** Reads this replica's data, whether or not it leads. For an I/O thread. */
    public <T extends @Nullable Object> T read(Function<RangeReader, T> work) {
        return db.readSnapshot(work);
    }

    // --- completing a merge

    /** At the begin of a leadership: gives up what a former leader began to absorb. On the range executor. */
    public void takeUp() {
        RangeState served = replica.routed();
        if (served.phase() instanceof RangeState.Absorbing absorbing && !changes.isUnderWay()) {
            // a former leader began to absorb
            changes.begin(new RangeCommand.Refrain(served.epoch(), absorbing.rightId()))
                    .thenAccept(outcome -> {
                        if (outcome != ChangeOutcome.DONE) {
                            checkAbsorbing(served.epoch(), absorbing.rightId());
                        }
                    });
        }
    }

    /**
     * On the leader of a yielding range: finds out what became of the merge. Does nothing on any other range. Any
     * thread.
     */
    public void checkLeaving() {
        replica.execute(() -> {
            RangeState now = replica.routed();
            if (!role.isLeader() || !(now.phase() instanceof RangeState.Yielding yielding)) {
                return;
            }
            MergeSequel left = siblings.ofId(yielding.leftId());
            MergeSequel neighbour = left == null ? siblings.leftOf(now.bounds().start()) : left;
            if (neighbour == null) {
                notKnownHere();
                return;
            }
            boolean isLeft = left != null;
            confirmedState(
                    neighbour,
                    state -> replica.execute(() -> {
                        if (state != null && (isLeft || isOfNeighbour(state, now))) {
                            missing = 0;
                            leavingChecked(now, state);
                        } else {
                            notKnownHere();
                        }
                    }));
        });
    }

    /**
     * Whether this state shows what became of the merge, although it is of another range than the one that was to
     * absorb the yielding range. The range that has the keys in front of the yielding range shows it: two ranges never
     * own one key.
     */
    private static boolean isOfNeighbour(RangeState state, RangeState yielding) {
        return !(state.phase() instanceof RangeState.Retired) // its bounds are another one's by now
                && (state.bounds().contains(yielding.bounds().start()) || state.isLeftOf(yielding));
    }

    /**
     * This node cannot say what became of the merge: it has no replica of the left range, which may have got other
     * members since it gave up the merge, or that replica has stopped or has no leader. Hands the leadership to one
     * voter after the other, until one can say it. It waits twice as long before each further hand-over. If no voter
     * has a replica of the left range or of the range that has its keys now, an operator must help.
     */
    private void notKnownHere() {
        replica.later(CHECK_MILLIS, this::checkLeaving);
        RaftGroup group = replica.group();
        missing++;
        int turn = missing / CHECKS_OF_A_TURN;
        if (group == null || missing % CHECKS_OF_A_TURN != 0 || Integer.bitCount(turn) != 1) {
            return;
        }
        List<String> others = group.membership().voters().stream()
                .filter(voter -> !voter.equals(group.leader()))
                .toList();
        if (!others.isEmpty()) {
            String heir = others.get(Integer.numberOfTrailingZeros(turn) % others.size());
            Status status = group.transferLeadershipTo(heir);
            LOG.info(
                    "the outcome of a merge is not known here, another voter is to ask range={} to={} status={}",
                    replica.groupId(),
                    heir,
                    status);
        }
    }

    private void leavingChecked(RangeState asked, RangeState left) {
        if (replica.routed().epoch() != asked.epoch()) {
            return; // settled meanwhile
        }
        RangeCommand next = next(asked, left);
        if (next == null || changes.isUnderWay()) {
            replica.later(CHECK_MILLIS, this::checkLeaving);
        } else {
            changeOrElse(next, this::checkLeaving);
        }
    }

    /**
     * On the leader of a range that was to absorb another but gave up: repeats until that is written. Does nothing on
     * any other range. Any thread.
     *
     * @param epoch the epoch of the range, which absorbing does not change
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
     * On the leader of a range that has joined another: settles when that one has retired. Does nothing on any other
     * range. Any thread.
     */
    public void checkJoined() {
        replica.execute(() -> {
            RangeState now = replica.routed();
            if (!role.isLeader() || !(now.phase() instanceof RangeState.Joined joined)) {
                return;
            }
            MergeSequel right = siblings.ofId(joined.rightId());
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
     * Passes on, on any thread, a state that includes everything applied anywhere before this call; null if it cannot
     * be determined now.
     */
    private static void confirmedState(MergeSequel of, Consumer<@Nullable RangeState> then) {
        of.confirmation.request(ok -> then.accept(ok ? of.state() : null));
    }

    /**
     * What a yielding range must do, depending on its left neighbour's state.
     *
     * @param left a state that includes everything applied anywhere before it was asked for
     * @return null while the left range is still merging
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
