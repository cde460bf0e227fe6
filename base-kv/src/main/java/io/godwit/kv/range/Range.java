package io.godwit.kv.range;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.closure.ReadIndexClosure;
import io.godwit.kv.balance.LoadMeter;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.coprocessor.Proposal;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.kv.raft.DamagedDataException;
import io.godwit.kv.raft.FaultHandler;
import io.godwit.kv.raft.RaftGroup;
import io.godwit.plugin.balance.AccessKind;
import io.godwit.plugin.balance.RangeLoad;
import io.godwit.plugin.balance.SplitHint;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One replica of a range: ties its Raft group, database, coprocessor and, while it leads, its leader together.
 *
 * <p>Three threads meet here. The range executor owns everything about requests. The apply thread, JRaft's, owns the database's writing
 * side and the coprocessor's state; it hands what it has applied to the executor. I/O threads run reads and snapshots. All entry points
 * may be called on any thread; they only queue.
 *
 * <p>Requests wait while there is no leader, in order, until their deadline. Mutations that were not sealed into an entry when a
 * leadership ended are proposed again to the next leader, ahead of those that came later; sealed ones fail, since they may be applied.
 *
 * <p>A change by which keys pass from one range to another ({@link Split}) begins by freezing the leadership: requests wait again, while what was
 * accepted is proposed, applied and answered. When the change is applied the leader is stopped and made anew for the new bounds, and what waited
 * goes on: here, or at the range that has the key now.
 */
public final class Range implements RangeStateMachine.Listener, ReadGate.ReadIndex, ReadGate.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(Range.class);
    private static final long RECLAIM_AFTER_MILLIS = 10_000;
    private static final long HANDOVER_LOOK_MILLIS = 50;
    private static final long LOAD_TICK_MILLIS = 1_000;
    private static final long LEAVING_CHECK_MILLIS = 500;

    /** A change that the leader carries out. Confined to the range executor. */
    private static final class Change implements RangeStateMachine.CommandClosure {
        /** Of a change of members, the last step's is known when the first is done. */
        RangeCommand command;

        final @Nullable MemberStep first;
        final String heir;
        final CompletableFuture<ChangeOutcome> outcome = new CompletableFuture<>();
        private final Consumer<Change> onFailure;
        /** The command, or the request to hand over. */
        boolean isAppended;
        /** Of two changes of the group only the first was made. */
        boolean isHalfDone;

        /**
         * @param first what is to be done with the group before; null for nothing
         * @param heir who is to lead; empty unless that is what the change is, and the command only names the epoch
         * @param onFailure told, on any thread, when the log cannot tell what becomes of it
         */
        Change(RangeCommand command, @Nullable MemberStep first, String heir, Consumer<Change> onFailure) {
            this.command = command;
            this.first = first;
            this.heir = heir;
            this.onFailure = onFailure;
        }

        boolean isHandover() {
            return !heir.isEmpty();
        }

        /** Whether the leadership ends in good order with it. */
        boolean freezes() {
            return command.movesKeys() || isHandover();
        }

        /** As {@link io.godwit.plugin.balance.RangeChange} has it. */
        String what() {
            if (isHandover()) {
                return "LEADER";
            } else if (command instanceof RangeCommand.Split) {
                return "SPLIT";
            }
            return command instanceof RangeCommand.Replicas ? "REPLICAS" : "MERGE";
        }

        @Override
        public void run(Status status) {
            onFailure.accept(this); // success is told by the state machine
        }
    }

    /** A change of the Raft group's members. */
    @FunctionalInterface
    interface MemberStep {
        /** On the range executor; {@code done} is told on any thread. */
        void begin(RaftGroup group, Closure done);
    }

    /**
     * What others may know of a leadership. Requests may be routed by it until it ends.
     *
     * @param token what they are to carry
     * @param bounds of the range for all its time
     */
    public record Leading(RouteToken token, RangeBounds bounds) {
        /** Whether these are its bounds. */
        public boolean isOf(RangeBounds other) {
            return Arrays.equals(bounds.start(), other.start()) && Arrays.equals(bounds.end(), other.end());
        }
    }

    private final String groupId;
    private final RangeFamily family;
    private final RangeRouter routes;
    private final RangeDb db;
    private final RangeCoprocessor coprocessor;
    private final RangeEnvironment environment;
    private final FaultHandler faults;
    private final RangeExecutor executor;
    private final ReadGate reads;
    private final DeadlineSweep sweep;
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    /** Came while the range is being merged into another. */
    private final List<ReadGate.Query> waitingQueries = new ArrayList<>();

    /** Set once, by start; read by the threads that ask for reads and snapshots. */
    private volatile @Nullable RaftGroup group;

    private @Nullable Leadership leadership;
    /** Of the leadership that takes requests; written on the range executor, read by any thread. */
    private volatile @Nullable Leading leading;

    /** Set before the start. */
    private volatile boolean standsFirst;

    private volatile String underWay = "";
    private volatile String stoppedBy = "";
    private volatile long epochNanos = System.nanoTime();
    private long fence;
    /** Of this leadership; null while there is none. Set on the range executor, reported to by the threads that apply and read. */
    private volatile @Nullable LoadMeter load;

    private volatile Load lastLoad = Load.NONE;
    /** What is being done to the range; no other is begun meanwhile. */
    private @Nullable Change change;
    /** What came by itself to a range that is still being forwarded what came earlier; null once that has ended. */
    private @Nullable List<Waiting> held;
    /** Of how many other ranges. */
    private int holds;
    /** Written on the range executor; any thread routes by it. */
    private volatile RangeState served;
    /** Of which this replica is leader; 0 when it is not. Without a leadership while the range is being merged into another. */
    private long term;
    /** Its keys are another range's: what comes is forwarded, whatever the bounds say. */
    private boolean isCeded;

    private @Nullable RangeException ended;

    /** The apply thread's. */
    private final SnapshotTrigger snapshots;

    /**
     * @param db owned from here on
     * @param faults told, on any thread, once, when the range has stopped
     */
    public Range(
            String groupId,
            RangeFamily family,
            RangeRouter routes,
            RangeDb db,
            RangeCoprocessor coprocessor,
            RangeEnvironment environment,
            FaultHandler faults) {
        this.groupId = groupId;
        this.family = family;
        this.routes = routes;
        this.served = db.state();
        this.db = db;
        this.coprocessor = coprocessor;
        this.environment = environment;
        this.faults = faults;
        this.executor = new RangeExecutor(environment.pool(), thrown -> fault("task of the range", thrown));
        this.reads = new ReadGate(this, db, coprocessor, executor, environment.io(), this::fault, this);
        this.sweep = new DeadlineSweep(this::later);
        this.snapshots = new SnapshotTrigger(groupId, environment.settings().snapshotLogBytes(), environment.io());
        executor.afterBatch(this::flush);
    }

    /**
     * Opens the coprocessor and starts the group. Call once.
     *
     * @param firstVoters as {@link io.godwit.kv.raft.RaftHost#start} has them
     * @throws DamagedDataException if the snapshot is damaged, or log and snapshot do not fit together
     */
    public void start(Path snapshotDirectory, List<String> firstVoters) throws IOException {
        coprocessor.open(db.state().bounds(), db.latest());
        RangeStateMachine stateMachine =
                new RangeStateMachine(groupId, family, db, coprocessor, this, this::fault, environment.io());
        RaftGroup started = startGroup(snapshotDirectory, stateMachine, firstVoters);
        group = started;
        if (standsFirst && db.state().members().voters().size() > 1) { // an only voter elects itself
            environment.raft().stand(started); // whoever led the whole has all of it, and nobody leads this yet
        }
        executor.execute(() -> {
            // not twice: it may have been told to lead between the assignment and now
            if (term != 0 && leadership == null) {
                lead(started);
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

    public String groupId() {
        return groupId;
    }

    /** As requests are routed by; the state may be ahead. */
    public RangeState routed() {
        return served;
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
    public @Nullable Leading leading() {
        return leading;
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

    /** What is being done to the range, on its leader; empty for nothing. Any thread. */
    public String changeUnderWay() {
        String now = underWay;
        return now.isEmpty() && !db.state().isSettled() ? "MERGE" : now;
    }

    /** Why this replica has stopped; empty while it runs. Any thread. */
    public String stoppedBy() {
        return stoppedBy;
    }

    /** How long the epoch has been what it is, as far as this replica has seen. Any thread. */
    public long stableMillis() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - epochNanos);
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
     * A mutation that was routed to one leadership. Fails with {@code MOVED} when this replica does not lead, or under another token, or when that
     * leadership ends before the mutation was sealed; then it was not applied, nor are those that come later with the token. Any thread.
     */
    public CompletableFuture<byte[]> mutate(
            RouteToken token, byte[] key, byte[] mutation, boolean isRelieving, Deadline deadline) {
        return mutate(new ClientMutation(token, key, mutation, isRelieving, deadline));
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
        if (leading == null) {
            return CompletableFuture.failedFuture(notLed());
        }
        return query(request);
    }

    private static RangeException notLed() {
        return new RangeException(Cause.MOVED, "not led here any more");
    }

    CompletableFuture<byte[]> mutate(ClientMutation request) {
        executor.execute(() -> come(request));
        return request.answer();
    }

    void submit(byte[] key, LeaderRequest request) {
        executor.execute(() -> {
            Leadership current = leadership;
            if (current != null
                    && !isFrozen()
                    && held == null
                    && served.bounds().contains(key)) {
                current.handle(request); // nearly always
            } else {
                come(new WaitingSubmission(key, request, environment.leaderDeadlineNanos()));
            }
        });
    }

    CompletableFuture<byte[]> query(ReadGate.Query request) {
        executor.execute(() -> ask(request));
        return request.answer();
    }

    private void ask(ReadGate.Query request) {
        if (isCeded) {
            routes.ask(request);
        } else {
            sweep.add(request);
            if (served.isLeaving()) {
                waitingQueries.add(request);
            } else {
                reads.add(request);
            }
        }
    }

    /** A request that came by itself. */
    private void come(Waiting request) {
        if (held == null) {
            take(request);
        } else {
            held.add(request);
            sweep.add(request);
        }
    }

    /** A request that came to another range, before this one had its key. Any thread; ahead of what is held. */
    void takeForwarded(Waiting request) {
        Waiting own = request.moved();
        executor.execute(() -> take(own));
    }

    private void take(Waiting request) {
        Leadership current = leadership;
        if (request.token() != null) {
            takeRouted(request, request.token());
        } else if (ended != null) {
            request.refuse(ended);
        } else if (isCeded || !isFor(request)) {
            routes.forward(request);
        } else if (current != null && !isFrozen()) {
            sweep.add(request);
            request.deliver(current);
        } else {
            await(request);
        }
    }

    private boolean isFor(Waiting request) {
        RangeBounds bounds = served.bounds();
        return bounds.contains(request.key()) || request.concerns(bounds::contains);
    }

    private void takeRouted(Waiting request, RouteToken token) {
        Leadership current = leadership;
        Leading now = leading;
        RangeException cause = ended;
        if (cause != null) {
            // somebody else may lead; nobody can when this is the only voter
            boolean isAlone = db.state().members().voters().size() == 1;
            request.refuse(isAlone && cause.reason() == Cause.STORE_FAILED ? cause : notLed());
        } else if (current == null || now == null || isFrozen() || !now.token().equals(token)) {
            request.refuse(notLed());
        } else {
            sweep.add(request);
            request.deliver(current);
        }
    }

    private void await(Waiting request) {
        waiting.add(request);
        sweep.add(request);
    }

    private boolean isFrozen() {
        return change != null && change.freezes();
    }

    private void flush() {
        Leadership current = leadership;
        if (current != null) {
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
        reads.flush();
    }

    // --- changes

    /** What became of a change. */
    public enum ChangeOutcome {
        DONE,
        /** The range is of another epoch, or the change does not fit it: nothing was changed. */
        STALE,
        /** This replica does not lead, something else is being done to the range, or the disk is nearly full: nothing was changed. */
        BUSY,
        /** The leadership ended meanwhile: it may be done, now or later. */
        UNKNOWN
    }

    /**
     * Cuts the range in two, on its leader; see {@link Split}. Any thread; completes on the range executor or an I/O thread.
     *
     * @param epoch of the range that this was decided for
     * @param childId of the right part, never given before
     * @param key its first; null: where it halves the bytes
     */
    public CompletableFuture<ChangeOutcome> split(long epoch, long childId, byte @Nullable [] key) {
        if (isDiskLow()) {
            return CompletableFuture.completedFuture(ChangeOutcome.BUSY);
        }
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
                fault("search for a split key", e);
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
     * Copies the database, by hard links, of a replica that leads: everything acknowledged before the call is in the copy. For an I/O thread;
     * blocks.
     *
     * @param target must not exist, while its parent must
     * @return what the range is in the copy
     * @throws IOException if this replica does not lead, or the copy cannot be written
     */
    public RangeState copyTo(Path target) throws IOException {
        CompletableFuture<Void> confirmed = new CompletableFuture<>();
        executor.execute(() -> {
            Leadership current = leadership;
            if (current == null) {
                confirmed.completeExceptionally(new IOException("this node does not lead range " + groupId));
            } else {
                current.group().readIndex(new ReadIndexClosure() {
                    @Override
                    public void run(Status status, long index, byte[] context) {
                        if (status.isOk()) {
                            confirmed.complete(null); // all up to the index is applied
                        } else {
                            confirmed.completeExceptionally(
                                    new IOException("range " + groupId + " is not led: " + status));
                        }
                    }
                });
            }
        });
        try {
            confirmed.get(environment.settings().leaderWaitMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("range " + groupId + " cannot be copied: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        return db.copyTo(target);
    }

    /** What makes new files is not begun then: once it is in the log it has to be done. */
    private boolean isDiskLow() {
        return !environment.disk().get().takes(false);
    }

    /** Bytes that this replica takes on disk, about. Any thread. */
    public long sizeBytes() {
        return db.sizeBytes();
    }

    /** Has the leader, which this replica must be, write {@code command}. Any thread; completes on the range executor. */
    public CompletableFuture<ChangeOutcome> change(RangeCommand command) {
        return change(command, null, "");
    }

    /**
     * Changes the group's members, on its leader, and then what the range is ({@link VoterChange}). Any thread; completes on the range executor.
     *
     * @param epoch of the range that this was decided for
     */
    CompletableFuture<ChangeOutcome> change(long epoch, MemberStep step) {
        return change(new RangeCommand.Replicas(epoch, db.state().members()), step, "");
    }

    /**
     * Hands the leadership over to another voter, in good order; whoever comes to lead instead counts as well. Any thread; completes on the range
     * executor.
     *
     * @param epoch of the range that this was decided for
     */
    public CompletableFuture<ChangeOutcome> transfer(long epoch, String storeId) {
        return change(new RangeCommand.Replicas(epoch, db.state().members()), null, storeId);
    }

    private CompletableFuture<ChangeOutcome> change(RangeCommand command, @Nullable MemberStep first, String heir) {
        Change next = new Change(command, first, heir, failed -> executor.execute(() -> changeFailed(failed)));
        executor.execute(() -> begin(next));
        return next.outcome;
    }

    private void begin(Change next) {
        RaftGroup started = group;
        Leadership current = leadership;
        if (started == null || term == 0 || change != null || ended != null) {
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
                leading = null;
                current.freeze(); // flush goes on from here
            } else if (first != null && current != null) {
                first.begin(current.group(), status -> executor.execute(() -> stepped(next, current, status)));
            } else {
                append(next, started);
            }
            family.roleChanged(this);
        }
    }

    /** The members have changed, or not. */
    private void stepped(Change current, Leadership through, Status status) {
        if (change != current) {
            return; // the leadership has ended; the next leader looks at the members
        }
        RaftGroup.Membership members = through.group().membership();
        current.isHalfDone = !status.isOk();
        if (status.isOk() || !members.isSameAs(db.state().members())) {
            current.command = new RangeCommand.Replicas(db.state().epoch(), members);
            append(current, through.group());
        } else {
            LOG.info("members not changed range={} cause={}", groupId, status);
            endChange(current, ChangeOutcome.BUSY);
        }
    }

    /** Everything is applied and answered: somebody else may lead. */
    private void handOver(Change handover, Leadership current) {
        Status status = current.group().transferLeadershipTo(handover.heir);
        if (status.isOk()) {
            awaitHandover(handover, current);
        } else {
            LOG.info("not handed over range={} to={} cause={}", groupId, handover.heir, status);
            executor.execute(() -> changeFailed(handover));
        }
    }

    /** The end of the leadership ends the change as well; JRaft goes on leading when the other does not take over within an election timeout. */
    private void awaitHandover(Change handover, Leadership current) {
        later(HANDOVER_LOOK_MILLIS, () -> {
            if (change == handover) {
                if (current.group().isHandingOver()) {
                    awaitHandover(handover, current);
                } else if (leadership == current && current.group().isLeading()) {
                    endChange(handover, ChangeOutcome.BUSY);
                }
            }
        });
    }

    private void append(Change next, RaftGroup started) {
        next.isAppended = true;
        started.append(next.command.encode(), term, next);
    }

    private void changeFailed(Change failed) {
        if (change == failed) {
            endChange(failed, ChangeOutcome.UNKNOWN);
        }
    }

    private void endChange(Change ending, ChangeOutcome outcome) {
        change = null;
        underWay = "";
        ending.outcome.complete(outcome);
        Leadership frozen = leadership;
        if (ending.freezes() && frozen != null && ended == null) {
            leadership = null;
            end(
                    frozen,
                    new RangeException(Cause.TIMEOUT, "leadership ended"),
                    new RangeException(Cause.MOVED, "the range was changed"));
            lead(frozen.group());
        }
    }

    @Override
    public void changed(RangeStateMachine.Changed what) {
        executor.execute(() -> {
            RangeState before = served;
            if (what.isApplied()) {
                served = what.state();
                rebound(what);
            }
            Change own = change;
            if (own != null && own == what.own()) {
                ChangeOutcome done = own.isHalfDone ? ChangeOutcome.UNKNOWN : ChangeOutcome.DONE;
                endChange(own, what.isApplied() ? done : ChangeOutcome.STALE);
            }
            noteMembers();
            RaftGroup started = group;
            if (served.isLeaving() && leadership != null && change == null) {
                // a command that had been given up has come through
                endLeadership(
                        new RangeException(Cause.TIMEOUT, "leadership ended"),
                        new RangeException(Cause.MOVED, "the range is being merged"));
                checkLeaving();
            }
            if (before.isLeaving() && !served.isLeaving() && term != 0 && started != null && leadership == null) {
                lead(started); // it goes on
            }
            Range child = what.child();
            if (child != null) {
                // behind all that the table before has brought here for the child's keys, and that is forwarded
                executor.execute(child::release);
            }
        });
    }

    private void rebound(RangeStateMachine.Changed what) {
        Range right = what.command() instanceof RangeCommand.Join join ? family.find(join.rightId()) : null;
        if (right != null) {
            hold();
        }
        epochNanos = System.nanoTime();
        family.rebounded(this);
        family.roleChanged(this);
        Range child = what.child();
        if (child != null) {
            child.standsFirst = leadership != null;
            family.start(child);
            reclaimLater();
            child.reclaimLater();
        }
        if (right != null) {
            right.cede(this);
        }
        if (served.phase() instanceof RangeState.Retired) {
            family.retire(this);
        }
    }

    /** The other range has this one's keys now, and is routed to: what is here goes there, ahead of what comes there by itself. */
    private void cede(Range to) {
        executor.execute(() -> {
            if (held != null) {
                cede(to); // first what is still being forwarded here
                return;
            }
            isCeded = true;
            List<Waiting> requests = new ArrayList<>(waiting);
            waiting.clear();
            requests.forEach(this::take);
            List<ReadGate.Query> queries = List.copyOf(waitingQueries);
            waitingQueries.clear();
            queries.forEach(this::ask);
            to.release();
        });
    }

    /** When the first rush is over, and then a snapshot: the one before has links to what is given back. */
    private void reclaimLater() {
        later(
                RECLAIM_AFTER_MILLIS,
                () -> environment.io().execute(() -> {
                    db.reclaim();
                    RaftGroup started = group;
                    if (started != null) {
                        started.snapshot(status -> LOG.info("space reclaimed range={} snapshot={}", groupId, status));
                    }
                }));
    }

    /** Has what comes by itself wait for what is forwarded. Before anybody can reach it. */
    public void hold() {
        holds++;
        if (held == null) {
            held = new ArrayList<>();
        }
    }

    private void release() {
        executor.execute(() -> {
            List<Waiting> requests = held;
            if (--holds == 0 && requests != null) {
                held = null;
                requests.forEach(this::take);
            }
        });
    }

    // --- what the apply thread tells

    @Override
    public void applied(List<RangeStateMachine.AppliedEntry> entries) {
        executor.execute(() -> {
            Leadership current = leadership;
            if (current != null) { // entries of an ended leadership are ignored by the batcher of the next
                entries.forEach(entry -> current.applied(entry.entry(), entry.replies()));
            }
        });
    }

    @Override
    public void leads(long newTerm) {
        executor.execute(() -> {
            term = newTerm;
            RaftGroup started = group;
            if (started != null) { // else start goes on from here
                lead(started);
            }
        });
    }

    @Override
    public void leadsNoMore() {
        executor.execute(() -> {
            boolean isHandover = change != null && change.isHandover();
            term = 0;
            endLeadership(
                    new RangeException(Cause.TIMEOUT, "leadership ended"),
                    new RangeException(isHandover ? Cause.MOVED : Cause.CLOSED, "leadership ended"));
        });
    }

    @Override
    public void logGrew(long bytes) {
        RaftGroup started = group;
        snapshots.logGrew(bytes, started == null ? null : started::snapshot);
    }

    // --- roles

    private void lead(RaftGroup started) {
        if (ended != null) {
            return;
        }
        if (served.isLeaving()) {
            ready.complete(null); // it will not serve, and nobody is to wait for it
            checkLeaving();
            return;
        }
        Leadership next =
                new Leadership(term, served.bounds(), routes, db, started, executor, environment, this::fault);
        leadership = next;
        leading = new Leading(new RouteToken(db.state().id(), term, ++fence), served.bounds());
        measureLoad();
        next.start(coprocessor);
        LOG.info("range leads range={} term={} appliedIndex={}", groupId, term, db.appliedIndex());
        List<Waiting> requests = new ArrayList<>(waiting);
        waiting.clear();
        requests.forEach(this::take);
        List<ReadGate.Query> queries = List.copyOf(waitingQueries);
        waitingQueries.clear();
        queries.forEach(this::ask);
        ready.complete(null);
        family.roleChanged(this);
        if (served.phase() instanceof RangeState.Absorbing absorbing && change == null) {
            // whoever began to absorb led before
            begin(new Change(
                    new RangeCommand.Refrain(served.epoch(), absorbing.rightId()),
                    null,
                    "",
                    failed -> executor.execute(() -> changeFailed(failed))));
        }
        noteMembers();
        checkJoined();
    }

    /** An earlier leader may have changed the members and not come to say so. */
    private void noteMembers() {
        Leadership current = leadership;
        RangeState state = db.state();
        if (current == null || change != null || !state.isSettled()) {
            return;
        }
        RaftGroup.Membership members = current.group().membership();
        if (!members.voters().isEmpty() && !members.isSameAs(state.members())) {
            LOG.info("members noted range={} members={} noted={}", groupId, members, state.members());
            begin(new Change(
                    new RangeCommand.Replicas(state.epoch(), members),
                    null,
                    "",
                    failed -> executor.execute(() -> changeFailed(failed))));
        }
    }

    private void endLeadership(RangeException sealedCause, RangeException cause) {
        Leadership current = leadership;
        if (current != null) {
            leadership = null;
            leading = null;
            load = null;
            end(current, sealedCause, cause);
        }
        Change unfinished = change;
        if (unfinished != null) {
            change = null;
            underWay = "";
            boolean isBegun = unfinished.isAppended || unfinished.first != null;
            unfinished.outcome.complete(
                    !isBegun
                            ? ChangeOutcome.BUSY
                            : unfinished.isHandover() ? ChangeOutcome.DONE : ChangeOutcome.UNKNOWN);
        }
        family.roleChanged(this);
    }

    /** What it had accepted and not sealed waits again, before what came later and waits already: the leadership may have been frozen. */
    private void end(Leadership ending, RangeException sealedCause, RangeException cause) {
        List<Waiting> later = List.copyOf(waiting);
        waiting.clear();
        ending.end(sealedCause, cause, this::unsealed);
        waiting.addAll(later);
    }

    private void unsealed(Proposal proposal, RangeException cause) {
        if (proposal instanceof ClientMutation mutation && mutation.token() != null) {
            mutation.refuse(notLed());
        } else if (ended == null && proposal instanceof ClientMutation mutation) {
            await(mutation.again());
        } else {
            proposal.failed(cause);
        }
    }

    /** Ends everything for good; later requests are refused with the same cause. */
    private void end(RangeException cause) {
        if (ended != null) {
            return;
        }
        ended = cause;
        stoppedBy = String.valueOf(cause.getMessage());
        boolean failed = cause.reason() == Cause.STORE_FAILED;
        // what was sealed may be applied yet: CLOSED would deny that
        endLeadership(failed ? cause : new RangeException(Cause.TIMEOUT, "closed before the entry was applied"), cause);
        List<Waiting> requests = new ArrayList<>(waiting);
        waiting.clear();
        if (held != null) {
            requests.addAll(held);
            held = null;
        }
        requests.forEach(request -> request.refuse(cause));
        waitingQueries.forEach(query -> query.answer().completeExceptionally(cause));
        waitingQueries.clear();
        reads.close(cause);
        ready.completeExceptionally(cause);
    }

    /** Stops the range after a fault of its own and keeps its files. */
    private void fault(String what, Throwable cause) {
        executor.execute(() -> {
            if (ended == null) {
                LOG.error("range stopped range={} fault={}", groupId, what, cause);
                end(new RangeException(Cause.STORE_FAILED, what + ": " + cause.getMessage()));
                leaveToOthers();
                faults.onFault("range " + groupId + ": " + what, cause);
            }
        });
    }

    /** Where there are other voters one of them is to lead: what does not serve must not go on leading. */
    private void leaveToOthers() {
        RaftGroup started = group;
        if (started != null && db.state().members().voters().size() > 1) {
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

    /** Refuses what waits and what comes, with {@code CLOSED}. Completes on the range executor when the leader has been stopped. */
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

    /** Stops the group and closes the database; blocks. To be called after {@link #stop}, once. */
    public void close() {
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
                : Merge.run(this, epoch, right, rightEpoch, environment.io());
    }

    /** Reads what this replica has, whoever leads. For an I/O thread. */
    <T extends @Nullable Object> T read(Function<RangeReader, T> work) {
        return db.readSnapshot(work);
    }

    /** The leader of a range that yields finds out what has become of the merge; does nothing when this is no such. Any thread. */
    void checkLeaving() {
        executor.execute(() -> {
            RangeState now = served;
            if (term == 0 || ended != null || !(now.phase() instanceof RangeState.Yielding yielding)) {
                return;
            }
            Range left = family.find(yielding.leftId());
            if (left == null) {
                later(
                        LEAVING_CHECK_MILLIS,
                        this::checkLeaving); // a replica of it is on its way here, or the operator is needed
                return;
            }
            left.confirmedState(state -> executor.execute(() -> leavingChecked(now, state)));
        });
    }

    /** The leader of a range that has joined another goes on when that one has retired; does nothing when this is no such. Any thread. */
    void checkJoined() {
        executor.execute(() -> {
            RangeState now = served;
            if (term == 0 || ended != null || !(now.phase() instanceof RangeState.Joined joined)) {
                return;
            }
            Range right = family.find(joined.rightId());
            if (change == null && (right == null || right.state().phase() instanceof RangeState.Retired)) {
                change(new RangeCommand.Forget(now.epoch(), joined.rightId())).thenAccept(outcome -> {
                    if (outcome != ChangeOutcome.DONE) {
                        later(LEAVING_CHECK_MILLIS, this::checkJoined);
                    }
                });
                return;
            }
            if (right != null) {
                right.checkLeaving();
            }
            later(LEAVING_CHECK_MILLIS, this::checkJoined);
        });
    }

    private void leavingChecked(RangeState asked, @Nullable RangeState left) {
        if (served.epoch() != asked.epoch()) {
            return; // that has been settled
        }
        RangeCommand next = left == null ? null : Merge.next(asked, left);
        if (next == null || change != null) {
            later(LEAVING_CHECK_MILLIS, this::checkLeaving);
        } else {
            change(next).thenAccept(outcome -> {
                if (outcome != ChangeOutcome.DONE) {
                    later(LEAVING_CHECK_MILLIS, this::checkLeaving);
                }
            });
        }
    }

    /** Tells, on any thread, the state as of all that was applied anywhere before this call; null when that cannot be found out now. */
    private void confirmedState(Consumer<@Nullable RangeState> then) {
        request(ok -> then.accept(ok ? db.state() : null));
    }

    // --- load

    private void measureLoad() {
        LoadMeter meter = new LoadMeter(family.newHinter(), coprocessor::splitPoint, System.nanoTime());
        load = meter;
        lastLoad = Load.NONE;
        later(LOAD_TICK_MILLIS, () -> tick(meter));
    }

    private void tick(LoadMeter meter) {
        if (load == meter) {
            meter.tick(System.nanoTime());
            lastLoad = new Load(meter.load(), meter.hint());
            later(LOAD_TICK_MILLIS, () -> tick(meter));
        }
    }

    /**
     * What this replica's leader has to do.
     *
     * @param splitHint empty when nothing speaks for a split
     */
    public record Load(RangeLoad load, Optional<SplitHint> splitHint) {
        static final Load NONE = new Load(RangeLoad.UNKNOWN, Optional.empty());
    }

    /** As of the last second. Any thread; of no meaning while this replica does not lead. */
    public Load lastLoad() {
        return lastLoad;
    }

    /** Completes on the range executor; with nothing known when this replica does not lead. */
    public CompletableFuture<Load> load() {
        CompletableFuture<Load> answer = new CompletableFuture<>();
        executor.execute(() -> {
            LoadMeter meter = load;
            answer.complete(
                    meter == null
                            ? new Load(RangeLoad.UNKNOWN, Optional.empty())
                            : new Load(meter.load(), meter.hint()));
        });
        return answer;
    }

    @Override
    public void wrote(byte[] sample, int keys, long nanos) {
        LoadMeter meter = load;
        if (meter != null) {
            meter.onAccess(sample, AccessKind.WRITE, keys, nanos);
        }
    }

    @Override
    public void answered(ReadGate.Query query, long nanos) {
        LoadMeter meter = load;
        if (meter != null) {
            meter.onAccess(query.key(), AccessKind.READ, 1, nanos);
        }
    }

    @Override
    public void elsewhere(ReadGate.Query query) {
        routes.ask(query);
    }

    // --- for the read gate and the sweep

    @Override
    public void request(ReadGate.ReadIndexDone then) {
        RaftGroup started = group;
        if (started == null) {
            then.done(false);
            return;
        }
        started.readIndex(new ReadIndexClosure() {
            @Override
            public void run(Status status, long index, byte[] requestContext) {
                then.done(status.isOk());
            }
        });
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // tasks of a closed range find nothing to do
    public void later(long delayMillis, Runnable task) {
        environment.timers().schedule(() -> executor.execute(task), delayMillis, TimeUnit.MILLISECONDS);
    }
}
