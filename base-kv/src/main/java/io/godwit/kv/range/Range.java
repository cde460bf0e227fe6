package io.godwit.kv.range;

import com.alipay.sofa.jraft.Status;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.disk.DamagedDataException;
import io.godwit.kv.disk.FaultHandler;
import io.godwit.kv.raft.RaftGroup;
import io.godwit.kv.range.apply.RangeStateMachine;
import io.godwit.kv.range.change.ChangeOutcome;
import io.godwit.kv.range.change.Merge;
import io.godwit.kv.range.change.MergeSequel;
import io.godwit.kv.range.change.RangeChanges;
import io.godwit.kv.range.change.VoterChange;
import io.godwit.kv.range.data.DbFigures;
import io.godwit.kv.range.data.RangeDb;
import io.godwit.kv.range.leader.KnownLeadership;
import io.godwit.kv.range.leader.LeaderLoad;
import io.godwit.kv.range.leader.LeaderRole;
import io.godwit.kv.range.leader.Leadership;
import io.godwit.kv.range.leader.MeasuredLoad;
import io.godwit.kv.range.leader.ReadIndex;
import io.godwit.kv.range.leader.RouteToken;
import io.godwit.kv.range.replica.RangeEnvironment;
import io.godwit.kv.range.replica.RangeExecutor;
import io.godwit.kv.range.request.ClientMutation;
import io.godwit.kv.range.request.RangeRequests;
import io.godwit.kv.range.request.RangeRouter;
import io.godwit.kv.range.request.ReadGate;
import io.godwit.kv.range.request.Waiting;
import io.godwit.kv.range.request.WaitingSubmission;
import io.godwit.kv.range.state.RangeCommand;
import io.godwit.kv.range.state.RangeState;
import io.godwit.plugin.balance.Key;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One replica of a range: ties its Raft group, database, coprocessor and, while it leads, its leader together.
 *
 * <p>Three threads meet here. The range executor owns everything about requests. The apply thread, JRaft's, owns the
 * database's writing side and the coprocessor's state; it hands what it has applied to the executor. I/O threads run
 * reads and snapshots. All entry points may be called on any thread; they only queue.
 *
 * <p>Requests wait while there is no leader, in order, until their deadline. Mutations that were not sealed into an
 * entry when a leadership ended are proposed again to the next leader, ahead of those that came later; sealed ones
 * fail, since they may be applied.
 *
 * <p>A change by which keys pass from one range to another ({@code Split}) begins by freezing the leadership: requests
 * wait again, while what was accepted is proposed, applied and answered. When the change is applied the leader is
 * stopped and made anew for the new bounds, and what waited goes on: here, or at the range that has the key now.
 *
 * <p>Each part of that has an owner of its state: what waits, {@link RangeRequests}; whether this replica leads,
 * {@link LeaderRole}; what is being done to the range, {@link RangeChanges}, and what is left to do of a merge,
 * {@link MergeSequel}; what the range is, {@link StateMachineEvents}; what its leader has to do, {@link LeaderLoad}.
 * Here is the face they have together, and the beginning and end of the replica.
 */
public final class Range implements Sibling {
    private static final Logger LOG = LoggerFactory.getLogger(Range.class);

    private final String groupId;
    private final RangeFamily<Range> family;
    private final RangeDb db;
    private final RangeCoprocessor coprocessor;
    private final RangeEnvironment environment;
    private final FaultHandler faults;
    private final RangeExecutor executor;
    private final LeaderLoad load;
    private final LeaderRole role;
    private final RangeChanges changes;
    private final RangeRequests requests;
    private final MergeSequel mergeSequel;
    private final StateMachineEvents<Range> events;
    private final VoterChange voters;
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Set once, by start; read by the threads that ask for reads and snapshots. */
    private volatile @Nullable RaftGroup group;

    /** Set before the start. */
    private volatile boolean standsFirst;

    private volatile String stoppedBy = "";

    /**
     * @param db owned from here on
     * @param faults told, on any thread, once, when the range has stopped
     */
    public Range(
            String groupId,
            RangeFamily<Range> family,
            RangeRouter routes,
            RangeDb db,
            RangeCoprocessor coprocessor,
            RangeEnvironment environment,
            FaultHandler faults) {
        this.groupId = groupId;
        this.family = family;
        this.db = db;
        this.coprocessor = coprocessor;
        this.environment = environment;
        this.faults = faults;
        this.executor = new RangeExecutor(environment.pool(), thrown -> fault("task of the range", thrown));
        this.load = new LeaderLoad(family::newHinter, coprocessor, this::later, environment.nanoClock());
        this.role = new LeaderRole(
                this,
                new RoleListener(),
                (term, bounds, started) -> new Leadership(
                        family.store(),
                        term,
                        bounds,
                        (key, request) ->
                                routes.forward(new WaitingSubmission(key, request, environment.leaderDeadlineNanos())),
                        db,
                        started,
                        executor,
                        environment,
                        this::fault),
                db,
                coprocessor,
                load);
        this.changes = new RangeChanges(this, db, coprocessor, environment, role);
        this.voters = new VoterChange(changes);
        this.requests = new RangeRequests(this, routes, db, coprocessor, environment, load, role);
        this.mergeSequel = new MergeSequel(this, db, role, changes, requests, id -> {
            Range sibling = family.find(id);
            return sibling == null ? null : sibling.mergeSequel;
        });
        this.events = new StateMachineEvents<>(this, family, db, environment, load, role, changes, requests);
        executor.afterBatch(this::flush);
    }

    /**
     * Opens the coprocessor and starts the group. Call once.
     *
     * @param firstVoters as {@link io.godwit.kv.raft.RaftHost#start} has them
     * @throws DamagedDataException if the snapshot is damaged, or log and snapshot do not fit together
     */
    public void start(Path snapshotDirectory, List<String> firstVoters) throws IOException {
        coprocessor.epochIs(db.state().epoch());
        coprocessor.open(db.state().bounds(), db.latest());
        RangeStateMachine stateMachine =
                new RangeStateMachine(groupId, db, coprocessor, events, this::fault, environment.io());
        RaftGroup started = startGroup(snapshotDirectory, stateMachine, firstVoters);
        group = started;
        if (standsFirst && db.state().hasOtherVoters()) { // an only voter elects itself
            environment.raft().stand(started); // whoever led the whole has all of it, and nobody leads this yet
        }
        executor.execute(() -> {
            // not twice: it may have been told to lead between the assignment and now
            if (role.isLeader() && role.leadership() == null) {
                role.lead(started);
            }
        });
        if (db.state().phase() instanceof RangeState.Retired) {
            family.retire(this); // the last process did not get that far
        }
    }

    private RaftGroup startGroup(Path snapshotDirectory, RangeStateMachine stateMachine, List<String> firstVoters)
            throws IOException {
        try {
            return environment.raft().start(groupId, snapshotDirectory, stateMachine, firstVoters);
        } catch (DamagedDataException e) {
            IOException cause = stateMachine.loadFailure();
            throw cause != null ? cause : e;
        }
    }

    /** Unique in the store. */
    public long id() {
        return db.state().id();
    }

    @Override
    public String groupId() {
        return groupId;
    }

    @Override
    public RangeState routed() {
        return events.routed();
    }

    /** As of the last applied entry. */
    public RangeState state() {
        return db.state();
    }

    /** Completes when this replica leads and serves; fails with {@link RangeException} when it stops before. */
    public CompletableFuture<Void> ready() {
        return ready;
    }

    /** While this replica leads and takes requests; null otherwise. Any thread. */
    public @Nullable KnownLeadership leading() {
        return role.leading();
    }

    /** The leader's store id as this replica knows it; empty while it knows none. Any thread. */
    public String leader() {
        RaftGroup started = group;
        return started == null ? "" : started.leader();
    }

    /** Index of the last entry in this replica's log. Any thread. */
    public long lastLogIndex() {
        RaftGroup started = group;
        return started == null ? 0 : started.lastLogIndex();
    }

    /** Entries that are committed, as this replica knows, and not applied here yet. Any thread. */
    public long applyLag() {
        RaftGroup started = group;
        return started == null ? 0 : started.applyLag();
    }

    /** What RocksDB tells of it. Any thread; waits for nobody. */
    public DbFigures dbFigures() {
        return db.figures();
    }

    /** What is being done to the range, on its leader; empty for nothing. Any thread. */
    public String changeUnderWay() {
        String now = changes.underWay();
        if (!now.isEmpty()) {
            return now;
        } else if (!db.state().isSettled()) {
            return "MERGE";
        }
        return role.leading() != null && !areMembersNoted() ? "REPLICAS" : "";
    }

    /** Whether the range's state has the members that the group goes by. */
    private boolean areMembersNoted() {
        RaftGroup started = group;
        RaftGroup.Membership members = started == null ? null : started.membership();
        return members == null
                || members.voters().isEmpty()
                || members.isSameAs(db.state().members());
    }

    /**
     * After what fault this replica has stopped; empty while it runs, and when it was closed in good order. Any thread.
     */
    public String stoppedBy() {
        return stoppedBy;
    }

    /** How long the epoch has been what it is, as far as this replica has seen. Any thread. */
    public long stableMillis() {
        return events.stableMillis();
    }

    /** As {@link RaftGroup#resetVoters}. Blocks. Returns why not; empty when it is done. */
    public Optional<String> resetVoters(List<String> voters) {
        RaftGroup started = group;
        if (started == null) {
            return Optional.of("not started");
        }
        Status status = started.resetVoters(voters);
        environment.raft().standWhereNobodyLeads();
        return status.isOk() ? Optional.empty() : Optional.of(status.toString());
    }

    // --- requests

    /**
     * A mutation that was routed to one leadership. Fails with {@code MOVED} when this replica does not lead, or under
     * another token, or when that leadership ends before the mutation was sealed; then it was not applied, nor are
     * those that come later with the token. Any thread.
     */
    public CompletableFuture<byte[]> mutate(
            RouteToken token, byte[] key, byte[] mutation, boolean isRelieving, Deadline deadline) {
        return requests.mutate(new ClientMutation(token, key, mutation, isRelieving, deadline));
    }

    /** A query that was routed here. Fails with {@code MOVED} when this replica does not lead. Any thread. */
    public CompletableFuture<byte[]> queryAsLeader(byte[] key, byte[] query, Deadline deadline) {
        return queryAsLeader(ReadGate.Query.of(key, query, deadline));
    }

    /** The same for all keys of an interval; {@code end} null means without end. */
    public CompletableFuture<byte[]> queryAsLeader(byte[] key, byte @Nullable [] end, byte[] query, Deadline deadline) {
        return queryAsLeader(ReadGate.Query.ofInterval(key, end, query, deadline));
    }

    private CompletableFuture<byte[]> queryAsLeader(ReadGate.Query request) {
        return role.leading() == null ? CompletableFuture.failedFuture(Waiting.notLed()) : requests.query(request);
    }

    /** As {@link RangeRequests#hold}. Before anybody can reach it. */
    public void hold() {
        requests.hold();
    }

    private void flush() {
        Leadership current = role.leadership();
        if (current != null) {
            changes.flush(current);
        }
        requests.flushReads();
    }

    // --- changes

    /**
     * Cuts the range in two, on its leader; see {@code Split}. Any thread; completes on the range executor or an I/O
     * thread.
     *
     * @param epoch of the range that this was decided for
     * @param childId of the right part, never given before
     * @param key its first; null: where it halves the bytes
     */
    public CompletableFuture<ChangeOutcome> split(long epoch, long childId, byte @Nullable [] key) {
        return isDiskLow() ? CompletableFuture.completedFuture(ChangeOutcome.BUSY) : changes.split(epoch, childId, key);
    }

    /**
     * Copies the database, by hard links, of a replica that leads: everything acknowledged before the call is in the
     * copy. For an I/O thread; blocks.
     *
     * @param target must not exist, while its parent must
     * @return what the range is in the copy
     * @throws IOException if this replica does not lead, or the copy cannot be written
     */
    public RangeState copyTo(Path target) throws IOException {
        return copier().copyTo(target);
    }

    /** What a {@link RangeMoment} does before; as {@link #copyTo} fails. */
    void confirmLeads() throws IOException {
        copier().confirm();
    }

    private RangeCopy copier() {
        return new RangeCopy(groupId, db, executor, role, environment.settings().leaderWaitMillis());
    }

    RangeDb db() {
        return db;
    }

    /**
     * Why {@link #split} was refused, for an operator, as far as that can still be seen: it looks at the range as it is
     * now. Any thread.
     *
     * @param key as it was asked for
     */
    public String whyNotSplit(long epoch, byte @Nullable [] key, ChangeOutcome outcome) {
        RangeState now = state();
        if (isDiskLow()) {
            return "the disk is nearly full";
        } else if (now.epoch() != epoch) {
            return "the range has epoch " + now.epoch() + " by now, not " + epoch;
        } else if (outcome == ChangeOutcome.BUSY) {
            String underWay = changeUnderWay();
            return underWay.isEmpty()
                    ? "the range does not lead here any more, or Raft refused: see the log"
                    : "this is being done to the range already: " + underWay.toLowerCase(Locale.ROOT);
        } else if (key == null) {
            return "it has nothing to cut between: all that is in it has to stay together, as what one session has, or "
                    + "it is empty";
        }
        Key cut = Key.of(coprocessor.splitPoint(key));
        String where =
                cut.equals(Key.of(key)) ? "" : ", which is cut at " + cut + ", where what stays together begins,";
        return "the key " + Key.of(key) + where + " does not lie behind the first key of the range, which is "
                + now.bounds();
    }

    /** What makes new files is not begun then: once it is in the log it has to be done. */
    private boolean isDiskLow() {
        return !environment.disk().get().takes(false);
    }

    /** Bytes that this replica takes on disk, about. Any thread. */
    public long sizeBytes() {
        return db.sizeBytes();
    }

    /**
     * Has the leader, which this replica must be, write {@code command}. Any thread; completes on the range executor.
     */
    public CompletableFuture<ChangeOutcome> change(RangeCommand command) {
        return changes.change(command);
    }

    /** For changes of the group's members, one at a time. */
    public VoterChange voters() {
        return voters;
    }

    /**
     * Hands the leadership over to another voter, in good order; whoever comes to lead instead counts as well. Any
     * thread; completes on the range executor.
     *
     * @param epoch of the range that this was decided for
     */
    public CompletableFuture<ChangeOutcome> transfer(long epoch, String storeId) {
        return changes.transfer(epoch, storeId);
    }

    // --- what its parts ask of it

    @Override
    public RangeRequests requests() {
        return requests;
    }

    @Override
    public @Nullable RaftGroup group() {
        return group;
    }

    @Override
    public @Nullable RangeException ended() {
        return role.ended();
    }

    @Override
    public void execute(Runnable task) {
        executor.execute(task);
    }

    @Override
    public void roleChanged() {
        family.roleChanged(this);
    }

    @Override
    public void standFirst() {
        standsFirst = true;
    }

    @Override
    public void reclaimLater() {
        events.reclaimLater();
    }

    private final class RoleListener implements LeaderRole.Listener {
        @Override
        public void ledAndServing() {
            requests.goOn();
            ready.complete(null);
            roleChanged();
            mergeSequel.takeUp();
            changes.noteMembers();
            mergeSequel.checkJoined();
        }

        @Override
        public void ledWithoutServing() {
            ready.complete(null); // it will not serve, and nobody is to wait for it
            checkLeaving();
        }

        @Override
        public void isOver(Leadership ending, RangeException sealedCause, RangeException cause) {
            requests.outlive(ending, sealedCause, cause);
        }

        @Override
        public void leadsNoMore() {
            changes.leadershipEnded();
        }
    }

    /** Tells {@code then}, on any thread, whether all that was applied anywhere before this call is applied here. */
    void confirm(ReadIndex.Done then) {
        requests.request(then);
    }

    /**
     * The same; and then the coprocessor has been told of it, and {@link #routed} has followed. Tells {@code then} on
     * the range executor, where what the apply thread has told before comes first: changes of the state, and a fault.
     */
    void confirmTold(ReadIndex.Done then) {
        confirm(ok -> executor.execute(() -> then.done(ok && !hasEnded())));
    }

    // --- its end

    /** Ends everything for good; later requests are refused with the same cause. */
    private void end(RangeException cause) {
        if (hasEnded()) {
            return;
        }
        boolean failed = cause.reason() == Cause.STORE_FAILED;
        stoppedBy = failed ? String.valueOf(cause.getMessage()) : "";
        // what was sealed may be applied yet: CLOSED would deny that
        role.end(failed ? cause : new RangeException(Cause.TIMEOUT, "closed before the entry was applied"), cause);
        requests.refuseAll(cause);
        ready.completeExceptionally(cause);
    }

    /**
     * Stops the range after a fault of its own and keeps its files. One that had no file descriptors is opened again
     * when there are some.
     */
    @Override
    public void fault(String what, Throwable cause) {
        boolean isPassing = db.wasShortOfFiles(cause);
        executor.execute(() -> {
            if (!hasEnded()) {
                String then = isPassing ? ", opened again when there are file descriptors" : "";
                LOG.error("range stopped{} range={} fault={}", then, groupId, what, cause);
                end(new RangeException(Cause.STORE_FAILED, what + ": " + cause.getMessage() + then));
                leaveToOthers();
                faults.onFault("range " + groupId + ": " + what, cause);
                if (isPassing) {
                    family.recover(this);
                }
            }
        });
    }

    /** Where there are other voters one of them is to lead: what does not serve must not go on leading. */
    private void leaveToOthers() {
        RaftGroup started = group;
        if (started != null && db.state().hasOtherVoters()) {
            environment.io().execute(started::close);
        }
    }

    /** Stops the range because what it stands on has failed; whoever knows of that has logged it. Any thread. */
    public void fail(String why) {
        executor.execute(() -> {
            end(new RangeException(Cause.STORE_FAILED, why));
            leaveToOthers();
        });
    }

    /** The replica is given up; as {@link #stop}, but whoever waits may ask elsewhere. */
    public CompletableFuture<Void> retire() {
        return stop(new RangeException(Cause.MOVED, "the replica was given up"));
    }

    /**
     * Refuses what waits and what comes, with {@code CLOSED}. Completes on the range executor when the leader has been
     * stopped.
     */
    public CompletableFuture<Void> stop() {
        return stop(new RangeException(Cause.CLOSED, "store is closing"));
    }

    private CompletableFuture<Void> stop(RangeException cause) {
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        executor.execute(() -> {
            try {
                end(cause);
            } finally {
                stopped.complete(null);
            }
        });
        return stopped;
    }

    /** Stops the group and closes the database; blocks. To be called after {@link #stop}. */
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        RaftGroup started = group;
        if (started != null) {
            started.close();
        }
        db.close(); // waits for the reads under way, which use the coprocessor
        coprocessor.close();
    }

    // --- merging

    /** Joins it with its right neighbour, both led here; see {@link Merge}. Any thread. */
    public CompletableFuture<ChangeOutcome> merge(long epoch, Range right, long rightEpoch) {
        return isDiskLow()
                ? CompletableFuture.completedFuture(ChangeOutcome.BUSY)
                : Merge.run(mergeSequel, epoch, right.mergeSequel, rightEpoch, environment.io());
    }

    @Override
    public void checkLeaving() {
        mergeSequel.checkLeaving();
    }

    // --- load

    /** As of the last second. Any thread; of no meaning while this replica does not lead. */
    public MeasuredLoad lastLoad() {
        return load.last();
    }

    /** Completes on the range executor; with nothing known when this replica does not lead. */
    public CompletableFuture<MeasuredLoad> load() {
        CompletableFuture<MeasuredLoad> answer = new CompletableFuture<>();
        executor.execute(() -> answer.complete(load.now()));
        return answer;
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // tasks of a closed range find nothing to do
    public void later(long delayMillis, Runnable task) {
        environment.timers().schedule(() -> executor.execute(task), delayMillis, TimeUnit.MILLISECONDS);
    }
}
