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
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One replica of a range: connects its Raft group, database, coprocessor and, while it leads, its leader.
 *
 * <p>Three kinds of threads are involved. The range executor owns all state of requests. The apply thread of JRaft owns
 * the writing side of the database and the coprocessor's state, and hands over to the executor what it has applied. I/O
 * threads run reads and snapshots. All entry points may be called on any thread; they only queue.
 *
 * <p>While there is no leader, requests wait, in order, until their deadline. When a leadership ends, mutations that
 * were not yet sealed into an entry are proposed again to the next leader, before later ones; sealed mutations fail,
 * because they may be applied.
 *
 * <p>A change that moves keys from one range to another ({@code Split}) begins by freezing the leadership: new requests
 * wait while accepted ones are proposed, applied and answered. When the change is applied, the leader is stopped and
 * made again for the new bounds, and the waiting requests go on, here or at the range that owns the key now.
 *
 * <p>Each part of the state has one owner: {@link RangeRequests} for waiting requests; {@link LeaderRole} for whether
 * this replica leads; {@link RangeChanges} for the change in progress, and {@link MergeSequel} for the rest of a merge;
 * {@link StateMachineEvents} for the state that requests are routed by; {@link LeaderLoad} for the leader's load;
 * {@link RangeEnd} for the fault after which it has stopped. This class is their common interface, and starts and
 * closes the replica.
 */
public final class Range implements Sibling {
    private final String groupId;
    private final RangeFamily<Range> family;
    private final RangeDb db;
    private final RangeCoprocessor coprocessor;
    private final RangeEnvironment environment;
    private final RangeExecutor executor;
    private final LeaderLoad load;
    private final LeaderRole role;
    private final RangeChanges changes;
    private final RangeRequests requests;
    private final MergeSequel mergeSequel;
    private final StateMachineEvents<Range> events;
    private final VoterChange voters;
    private final ChangeObstacles obstacles;
    private final RangeEnd<Range> end;
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Set once, by start; read by threads that ask for reads and snapshots. */
    private volatile @Nullable RaftGroup group;

    /** Set before the start. */
    private volatile boolean standsFirst;

    /**
     * Connects the parts; {@link #start} starts the replica.
     *
     * @param db owned by this range from now on
     * @param faults told once, on any thread, when the range has stopped after a fault
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
                        this,
                        environment),
                db,
                coprocessor,
                load);
        this.changes = new RangeChanges(this, db, coprocessor, environment, role);
        this.voters = new VoterChange(changes);
        this.obstacles = new ChangeObstacles(this, db, coprocessor, environment, role, changes);
        this.requests = new RangeRequests(this, routes, db, coprocessor, environment, load, role);
        this.mergeSequel = new MergeSequel(this, db, role, changes, requests, new MergeSiblings());
        this.end = new RangeEnd<>(this, family, db, environment, faults, role, requests, ready);
        this.events = new StateMachineEvents<>(this, family, db, environment, load, role, changes, requests);
        executor.afterBatch(this::flush);
    }

    private final class MergeSiblings implements MergeSequel.Siblings {
        @Override
        public @Nullable MergeSequel ofId(long id) {
            return sequelOf(family.find(id));
        }

        @Override
        public @Nullable MergeSequel leftOf(byte[] key) {
            return sequelOf(family.leftOf(key));
        }

        private static @Nullable MergeSequel sequelOf(@Nullable Range range) {
            return range == null ? null : range.mergeSequel;
        }
    }

    /**
     * Opens the coprocessor and starts the group. Call once.
     *
     * @param firstVoters see {@link io.godwit.kv.raft.RaftHost#start}
     * @throws DamagedDataException if the snapshot is damaged, or if log and snapshot do not fit together
     */
    public void start(Path snapshotDirectory, List<String> firstVoters) throws IOException {
        coprocessor.epochIs(db.state().epoch());
        coprocessor.open(db.state().bounds(), db.latest());
        RangeStateMachine stateMachine =
                new RangeStateMachine(groupId, db, coprocessor, events, this::fault, environment.io());
        RaftGroup started = startGroup(snapshotDirectory, stateMachine, firstVoters);
        group = started;
        if (standsFirst && db.state().hasOtherVoters()) { // an only voter elects itself
            environment.raft().stand(started); // the former range's leader has all data; this range has none yet
        }
        executor.execute(() -> {
            // not twice: leadership may have been assigned since start returned
            if (role.isLeader() && role.leadership() == null) {
                role.lead(started);
            }
        });
        if (db.state().phase() instanceof RangeState.Retired) {
            family.retire(this); // the last process did not complete it
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

    /** Unique within the store. */
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

    /** The state after the last applied entry. */
    public RangeState state() {
        return db.state();
    }

    /** Completes when this replica leads and serves; fails with {@link RangeException} if it stops before. */
    public CompletableFuture<Void> ready() {
        return ready;
    }

    /** The leadership while this replica leads and accepts requests; else null. Any thread. */
    public @Nullable KnownLeadership leading() {
        return role.leading();
    }

    /** The leader's store id, as far as this replica knows; empty if it knows none. Any thread. */
    public String leader() {
        RaftGroup started = group;
        return started == null ? "" : started.leader();
    }

    /** Index of the last entry in this replica's log. Any thread. */
    public long lastLogIndex() {
        RaftGroup started = group;
        return started == null ? 0 : started.lastLogIndex();
    }

    /** Whether its database has never been given anything. For a replica whose group does not run. */
    public boolean hasAppliedNothing() {
        return db.appliedIndex() == 0;
    }

    /** Number of entries that this replica knows to be committed and has not applied yet. Any thread. */
    public long applyLag() {
        RaftGroup started = group;
        return started == null ? 0 : started.applyLag();
    }

    /** RocksDB's statistics of the database. Any thread; does not wait. */
    public DbFigures dbFigures() {
        return db.figures();
    }

    /** On the leader: the change in progress; empty if there is none. Any thread. */
    public String changeUnderWay() {
        return obstacles.underWay();
    }

    /** The fault after which this replica has stopped; empty while it runs, and after an orderly close. Any thread. */
    public String stoppedBy() {
        return end.stoppedBy();
    }

    /** Time since the epoch last changed, as far as this replica knows. Any thread. */
    public long stableMillis() {
        return events.stableMillis();
    }

    /**
     * See {@link RaftGroup#resetVoters}. Blocks.
     *
     * @return why it failed; empty if it was done
     */
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
     * A mutation that was routed to one leadership. Fails with {@code MOVED} if this replica does not lead, leads under
     * another token, or loses that leadership before the mutation was sealed. Then neither this mutation nor later ones
     * with the token are applied. Any thread.
     */
    public CompletableFuture<byte[]> mutate(
            RouteToken token, byte[] key, byte[] mutation, boolean isRelieving, Deadline deadline) {
        return requests.mutate(new ClientMutation(token, key, mutation, isRelieving, deadline));
    }

    /** A query that was routed to this replica. Fails with {@code MOVED} if this replica does not lead. Any thread. */
    public CompletableFuture<byte[]> queryAsLeader(byte[] key, byte[] query, Deadline deadline) {
        return queryAsLeader(ReadGate.Query.of(key, query, deadline));
    }

    /**
     * Like {@link #queryAsLeader(byte[], byte[], Deadline)}, for all keys of an interval; {@code end} null means no
     * end.
     */
    public CompletableFuture<byte[]> queryAsLeader(byte[] key, byte @Nullable [] end, byte[] query, Deadline deadline) {
        return queryAsLeader(ReadGate.Query.ofInterval(key, end, query, deadline));
    }

    private CompletableFuture<byte[]> queryAsLeader(ReadGate.Query request) {
        return role.leading() == null ? CompletableFuture.failedFuture(Waiting.notLed()) : requests.query(request);
    }

    /** See {@link RangeRequests#hold}. Must be called before the range can be reached. */
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
     * On the leader: splits the range in two; see {@code Split}. Any thread; completes on the range executor or an I/O
     * thread.
     *
     * @param epoch the epoch of the range that this was decided for
     * @param childId id of the right part, never used before
     * @param key first key of the right part; null for the key that halves the bytes
     */
    public CompletableFuture<ChangeOutcome> split(long epoch, long childId, byte @Nullable [] key) {
        return obstacles.isDiskLow()
                ? CompletableFuture.completedFuture(ChangeOutcome.BUSY)
                : changes.split(epoch, childId, key);
    }

    /**
     * Copies the database of a leading replica by hard links. The copy has everything that was acknowledged before the
     * call. For an I/O thread; blocks.
     *
     * @param target must not exist, but its parent must
     * @return the state of the range in the copy
     * @throws IOException if this replica does not lead, or the copy cannot be written
     */
    public RangeState copyTo(Path target) throws IOException {
        return copier().copyTo(target);
    }

    /** The first step of a {@link RangeMoment}; throws like {@link #copyTo}. */
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
     * Explains to an operator why {@link #split} was refused, as far as the present state of the range still shows it.
     * Any thread.
     *
     * @param key the key that was asked for
     */
    public String whyNotSplit(long epoch, byte @Nullable [] key, ChangeOutcome outcome) {
        return obstacles.whyNotSplit(epoch, key, outcome);
    }

    /** Approximate size of this replica on disk, in bytes. Any thread. */
    public long sizeBytes() {
        return db.sizeBytes();
    }

    /**
     * Makes the leader, which this replica must be, write {@code command}. Any thread; completes on the range executor.
     */
    public CompletableFuture<ChangeOutcome> change(RangeCommand command) {
        return changes.change(command);
    }

    /** Changes the group's members, one at a time. */
    public VoterChange voters() {
        return voters;
    }

    /**
     * Hands the leadership over to another voter in an orderly way; see {@link RangeChanges#transfer}. Any thread;
     * completes on the range executor.
     *
     * @param epoch the epoch of the range that this was decided for
     */
    public CompletableFuture<ChangeOutcome> transfer(long epoch, String storeId) {
        return changes.transfer(epoch, storeId);
    }

    // --- used by its parts

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
            ready.complete(null); // it will not serve, and nobody must wait for it
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

    /** Calls {@code then}, on any thread, with whether everything applied anywhere before this call is applied here. */
    void confirm(ReadIndex.Done then) {
        requests.request(then);
    }

    /**
     * Like {@link #confirm}, and waits until the coprocessor was told and {@link #routed} is up to date. Calls
     * {@code then} on the range executor, after everything that the apply thread has handed over before: changes of the
     * state, and a fault.
     */
    void confirmTold(ReadIndex.Done then) {
        confirm(ok -> executor.execute(() -> then.done(ok && !hasEnded())));
    }

    // --- its end

    /**
     * Stops the range after a fault of its own and keeps its files. If the cause is a lack of file descriptors, the
     * range is opened again when there are some.
     */
    @Override
    public void fault(String what, Throwable cause) {
        end.fault(what, cause);
    }

    /** Stops the range because something it depends on has failed, which is logged elsewhere. Any thread. */
    public void fail(String why) {
        end.fail(why);
    }

    /** Gives the replica up. Like {@link #stop()}, but waiting requests may be sent elsewhere. */
    public CompletableFuture<Void> retire() {
        return end.stop(new RangeException(Cause.MOVED, "the replica was given up"));
    }

    /**
     * Refuses waiting and new requests with {@code CLOSED}. Completes on the range executor when the leader has been
     * stopped.
     */
    public CompletableFuture<Void> stop() {
        return end.stop(new RangeException(Cause.CLOSED, "store is closing"));
    }

    /** Stops the group and closes the database; blocks. Call it after {@link #stop()}. */
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        RaftGroup started = group;
        if (started != null) {
            started.close();
        }
        db.close(); // waits for the reads in progress, which use the coprocessor
        coprocessor.close();
    }

    // --- merging

    /** Merges this range with its right neighbour; this node must lead both; see {@link Merge}. Any thread. */
    public CompletableFuture<ChangeOutcome> merge(long epoch, Range right, long rightEpoch) {
        return obstacles.isDiskLow()
                ? CompletableFuture.completedFuture(ChangeOutcome.BUSY)
                : Merge.run(mergeSequel, epoch, right.mergeSequel, rightEpoch, environment.io());
    }

    @Override
    public void checkLeaving() {
        mergeSequel.checkLeaving();
    }

    // --- load

    /** The load in the last second. Any thread; meaningless while this replica does not lead. */
    public MeasuredLoad lastLoad() {
        return load.last();
    }

    /** Completes on the range executor, with an unknown load if this replica does not lead. */
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
