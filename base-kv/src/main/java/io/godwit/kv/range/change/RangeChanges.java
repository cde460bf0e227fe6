package io.godwit.kv.range.change;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Status;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.raft.RaftGroup;
import io.godwit.kv.range.apply.RangeStateMachine;
import io.godwit.kv.range.data.RangeDb;
import io.godwit.kv.range.data.RangeDbException;
import io.godwit.kv.range.leader.LeaderRole;
import io.godwit.kv.range.leader.Leadership;
import io.godwit.kv.range.replica.RangeEnvironment;
import io.godwit.kv.range.replica.Replica;
import io.godwit.kv.range.state.RangeCommand;
import io.godwit.kv.range.state.RangeState;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The changes of a range by its leader, one at a time: a command to write ({@link RangeCommand}), alone or after a
 * change of the group's members, or a hand-over of the leadership. Owns the change in progress. Confined to the range
 * executor, except methods that say otherwise, which only queue.
 *
 * <p>Steps of a change that moves keys or the leadership: {@link #begin} freezes the leadership; {@link #flush}, after
 * each batch of tasks, settles it; then {@link #append} or {@link #handOver}; {@link #applied} or the end of the
 * leadership ends the change, and a new leadership is made. The outcome of a hand-over is known later, when there is a
 * leader again ({@link #awaitHeir}). Steps of a change of members: {@link #begin}, {@link #stepped}, {@link #append},
 * {@link #applied}, while requests go on. A change whose leadership ends early is not continued: what is in the log of
 * it is applied, and the next leader detects it ({@link #noteMembers}, {@link MergeSequel#takeUp}).
 */
public final class RangeChanges {
    private static final Logger LOG = LoggerFactory.getLogger(RangeChanges.class);
    private static final long HANDOVER_LOOK_MILLIS = 50;
    /** Longer than an election timeout, after which Raft gives up a hand-over. */
    private static final int MAX_HANDOVER_LOOKS = 300;

    private static final long NOTE_AGAIN_MILLIS = 500;

    /** A change of the Raft group's members. */
    @FunctionalInterface
    interface MemberStep {
        /** Begins the change, on the range executor; {@code done} may run on any thread. */
        void begin(RaftGroup group, Closure done);
    }

    /** A change that the leader carries out. Confined to the range executor. */
    private final class Change implements RangeStateMachine.CommandClosure {
        /** For a change of members, the command is known only after the first step. */
        RangeCommand command;
        /** Change of the group before the command; null for none. */
        final @Nullable MemberStep first;
        /** For a hand-over the next leader, and {@code command} only carries the epoch; otherwise empty. */
        final String heir;

        final CompletableFuture<ChangeOutcome> outcome = new CompletableFuture<>();
        /** Whether the command was appended or the hand-over requested. */
        boolean isAppended;
        /** Whether only the first of two changes of the group was made. */
        boolean isHalfDone;

        Change(RangeCommand command, @Nullable MemberStep first, String heir) {
            this.command = command;
            this.first = first;
            this.heir = heir;
        }

        boolean isHandover() {
            return !heir.isEmpty();
        }

        /** Whether the change ends the leadership in an orderly way. */
        boolean freezes() {
            return command.movesKeys() || isHandover();
        }

        /** The name of the change in {@link io.godwit.plugin.balance.RangeChange}. */
        String what() {
            if (isHandover()) {
                return "LEADER";
            } else if (command instanceof RangeCommand.Split) {
                return "SPLIT";
            }
            return command instanceof RangeCommand.Replicas ? "REPLICAS" : "MERGE";
        }

        /** Runs on any thread when the log cannot tell the outcome. */
        @Override
        public void run(Status status) {
            replica.execute(() -> failed(this)); // the state machine reports success
        }
    }

    private final Replica replica;
    private final RangeDb db;
    private final RangeCoprocessor coprocessor;
    private final RangeEnvironment environment;
    private final LeaderRole role;
    /** The change in progress; no other is begun meanwhile. */
    private @Nullable Change change;

    /** Written on the range executor, read by any thread. */
    private volatile String underWay = "";

    public RangeChanges(
            Replica replica, RangeDb db, RangeCoprocessor coprocessor, RangeEnvironment environment, LeaderRole role) {
        this.replica = replica;
        this.db = db;
        this.coprocessor = coprocessor;
        this.environment = environment;
        this.role = role;
    }

    public boolean isUnderWay() {
        return change != null;
    }

    /** Whether requests wait because the leadership is being ended in an orderly way. */
    private boolean isFrozen() {
        return change != null && change.freezes();
    }

    public boolean isHandover() {
        return change != null && change.isHandover();
    }

    /**
     * The change in progress, by its name in {@link io.godwit.plugin.balance.RangeChange}; empty if there is none. Any
     * thread.
     */
    public String underWay() {
        return underWay;
    }

    // --- requests for changes, on any thread

    /**
     * On the leader: splits the range in two; see {@link Split}. Any thread; completes on the range executor or an I/O
     * thread.
     *
     * @param epoch the epoch of the range that this was decided for
     * @param childId id of the right part, never used before
     * @param key first key of the right part; null for the key that halves the bytes
     */
    public CompletableFuture<ChangeOutcome> split(long epoch, long childId, byte @Nullable [] key) {
        if (key != null) {
            return change(new RangeCommand.Split(epoch, childId, coprocessor.splitPoint(key)));
        }
        CompletableFuture<ChangeOutcome> outcome = new CompletableFuture<>();
        environment.io().execute(() -> {
            byte @Nullable [] halving = null;
            try {
                halving = new SplitPoint(db, coprocessor).find();
            } catch (RangeDb.ClosedException e) {
                outcome.complete(ChangeOutcome.BUSY);
            } catch (RangeDbException e) {
                replica.fault("search for a split key", e);
                outcome.complete(ChangeOutcome.BUSY);
            }
            if (halving == null) {
                outcome.complete(ChangeOutcome.STALE);
            } else {
                change(new RangeCommand.Split(epoch, childId, halving)).thenAccept(outcome::complete);
            }
        });
        return outcome;
    }

    /**
     * Makes the leader, which this replica must be, write {@code command}. Any thread; completes on the range executor.
     */
    public CompletableFuture<ChangeOutcome> change(RangeCommand command) {
        return change(command, null, "");
    }

    /** Like {@link #change(RangeCommand)}, but at once, before queued tasks; on the range executor. */
    public CompletableFuture<ChangeOutcome> begin(RangeCommand command) {
        Change next = new Change(command, null, "");
        begin(next);
        return next.outcome;
    }

    /**
     * On the leader: changes the group's members, and then the range's state ({@link VoterChange}). Any thread;
     * completes on the range executor.
     *
     * @param epoch the epoch of the range that this was decided for
     */
    CompletableFuture<ChangeOutcome> change(long epoch, MemberStep step) {
        return change(new RangeCommand.Replicas(epoch, db.state().members()), step, "");
    }

    /**
     * Hands the leadership over to another voter in an orderly way. Any thread; completes on the range executor:
     * {@code DONE} when Raft has elected that voter, which then applies what it has not applied yet and serves;
     * {@code BUSY} if this replica leads again; {@code UNKNOWN} if another voter leads, or none for a long time.
     *
     * @param epoch the epoch of the range that this was decided for
     */
    public CompletableFuture<ChangeOutcome> transfer(long epoch, String storeId) {
        return change(new RangeCommand.Replicas(epoch, db.state().members()), null, storeId);
    }

    private CompletableFuture<ChangeOutcome> change(RangeCommand command, @Nullable MemberStep first, String heir) {
        Change next = new Change(command, first, heir);
        replica.execute(() -> begin(next));
        return next.outcome;
    }

    // --- the steps of a change

    private void begin(Change next) {
        RaftGroup started = replica.group();
        Leadership current = role.leadership();
        if (started == null || !role.isLeader() || change != null) {
            next.outcome.complete(ChangeOutcome.BUSY);
        } else if (db.state().epoch() != next.command.epoch()) {
            next.outcome.complete(ChangeOutcome.STALE);
        } else if ((next.first != null || next.isHandover())
                && (current == null || !db.state().isSettled())) {
            next.outcome.complete(ChangeOutcome.BUSY);
        } else {
            change = next;
            underWay = next.what();
            MemberStep first = next.first;
            if (next.freezes() && current != null) {
                role.freeze(current); // flush continues from here
            } else if (first != null && current != null) {
                first.begin(current.group(), status -> replica.execute(() -> stepped(next, current, status)));
            } else {
                append(next, started);
            }
            replica.roleChanged();
        }
    }

    /**
     * After a batch of tasks: sends the leadership's collected entries. A frozen leadership makes way once everything
     * is applied and answered.
     */
    public void flush(Leadership current) {
        Change frozen = isFrozen() ? change : null;
        if (frozen == null) {
            current.flush();
        } else if (!frozen.isAppended && current.settle()) {
            if (frozen.isHandover()) {
                frozen.isAppended = true;
                handOver(frozen, current);
            } else {
                append(frozen, current.group());
            }
        }
    }

    /** The change of the group has ended, with or without success. */
    private void stepped(Change current, Leadership through, Status status) {
        if (change != current) {
            return; // the leadership has ended; the next leader checks the members
        }
        RaftGroup.Membership members = through.group().membership();
        current.isHalfDone = !status.isOk();
        if (status.isOk() || !members.isSameAs(db.state().members())) {
            current.command = new RangeCommand.Replicas(db.state().epoch(), members);
            append(current, through.group());
        } else {
            LOG.info("members not changed range={} cause={}", replica.groupId(), status);
            end(current, ChangeOutcome.BUSY);
        }
    }

    /** Everything is applied and answered, so another voter may lead. */
    private void handOver(Change handover, Leadership current) {
        Status status = current.group().transferLeadershipTo(handover.heir);
        if (status.isOk()) {
            awaitHandover(handover, current);
        } else {
            LOG.info("not handed over range={} to={} cause={}", replica.groupId(), handover.heir, status);
            replica.execute(() -> {
                if (change == handover) {
                    end(handover, ChangeOutcome.BUSY); // this replica still leads
                }
            });
        }
    }

    /**
     * Waits until the leadership ends. JRaft ends it when the hand-over begins, and {@link #leadershipEnded} continues
     * from there. A hand-over that JRaft takes back before is refused.
     */
    private void awaitHandover(Change handover, Leadership current) {
        replica.later(HANDOVER_LOOK_MILLIS, () -> {
            if (change == handover) {
                if (current.group().isHandingOver()) {
                    awaitHandover(handover, current);
                } else if (role.leadership() == current && current.group().isLeading()) {
                    end(handover, ChangeOutcome.BUSY);
                }
            }
        });
    }

    /**
     * Waits until there is a leader after a hand-over: the leadership here has ended before the heir was told to stand.
     * If the heir does not take over within an election timeout, JRaft leads here again, in the same term.
     */
    private void awaitHeir(Change handover, int looks) {
        RaftGroup group = replica.group();
        String leader = group == null || group.isHandingOver() ? "" : group.leader();
        if (leader.equals(handover.heir)) {
            handover.outcome.complete(ChangeOutcome.DONE);
        } else if (group != null && group.isLeading()) {
            LOG.info(
                    "not handed over range={} to={} cause=it did not take the lead in time",
                    replica.groupId(),
                    handover.heir);
            handover.outcome.complete(ChangeOutcome.BUSY);
        } else if (!leader.isEmpty() || group == null || replica.hasEnded() || looks >= MAX_HANDOVER_LOOKS) {
            LOG.info("not handed over range={} to={} leader={}", replica.groupId(), handover.heir, leader);
            handover.outcome.complete(ChangeOutcome.UNKNOWN);
        } else {
            replica.later(HANDOVER_LOOK_MILLIS, () -> awaitHeir(handover, looks + 1));
        }
    }

    private void append(Change next, RaftGroup started) {
        next.isAppended = true;
        started.append(next.command.encode(), role.term(), next);
    }

    private void failed(Change failed) {
        if (change == failed) {
            end(failed, ChangeOutcome.UNKNOWN);
            if (failed.command instanceof RangeCommand.Replicas) {
                replica.later(NOTE_AGAIN_MILLIS, this::noteMembers); // the log may have been busy
            }
        }
    }

    private void end(Change ending, ChangeOutcome outcome) {
        change = null;
        underWay = "";
        ending.outcome.complete(outcome);
        Leadership frozen = role.leadership();
        if (ending.freezes() && frozen != null && !replica.hasEnded()) {
            role.renew(
                    frozen,
                    new RangeException(Cause.TIMEOUT, "leadership ended"),
                    new RangeException(Cause.MOVED, "the range was changed"));
        }
    }

    /** A command was applied or did not fit the state; ends the change if it was its own. */
    public void applied(RangeStateMachine.Changed what) {
        Change own = change;
        if (own != null && own == what.own()) {
            ChangeOutcome done = own.isHalfDone ? ChangeOutcome.UNKNOWN : ChangeOutcome.DONE;
            end(own, what.isApplied() ? done : ChangeOutcome.STALE);
        }
    }

    /** The leadership has ended; the change is not continued here. A hand-over is still watched. */
    public void leadershipEnded() {
        Change unfinished = change;
        if (unfinished != null) {
            change = null;
            underWay = "";
            boolean isBegun = unfinished.isAppended || unfinished.first != null;
            if (isBegun && unfinished.isHandover()) {
                awaitHeir(unfinished, 0);
            } else {
                unfinished.outcome.complete(isBegun ? ChangeOutcome.UNKNOWN : ChangeOutcome.BUSY);
            }
        }
    }

    // --- left by an earlier leader

    /**
     * Writes the group's members into the range's state if they differ: an earlier leader may have changed the group
     * and ended before it wrote them.
     */
    public void noteMembers() {
        Leadership current = role.leadership();
        RangeState state = db.state();
        if (current == null || change != null || !state.isSettled()) {
            return;
        }
        RaftGroup.Membership members = current.group().membership();
        if (!members.voters().isEmpty() && !members.isSameAs(state.members())) {
            LOG.info("members noted range={} members={} noted={}", replica.groupId(), members, state.members());
            begin(new Change(new RangeCommand.Replicas(state.epoch(), members), null, ""));
        }
    }
}
