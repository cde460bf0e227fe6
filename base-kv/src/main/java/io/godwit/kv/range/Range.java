package io.godwit.kv.range;

import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.closure.ReadIndexClosure;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.coprocessor.Proposal;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.raft.DamagedDataException;
import io.godwit.kv.raft.FaultHandler;
import io.godwit.kv.raft.RaftGroup;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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
 */
public final class Range implements RangeStateMachine.Listener, ReadGate.ReadIndex {
    private static final Logger LOG = LoggerFactory.getLogger(Range.class);

    private final String groupId;
    private final RangeBounds bounds;
    private final RangeDb db;
    private final RangeCoprocessor coprocessor;
    private final RangeEnvironment environment;
    private final FaultHandler faults;
    private final RangeExecutor executor;
    private final ReadGate reads;
    private final DeadlineSweep sweep;
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final Deque<Waiting> waiting = new ArrayDeque<>();

    /** Set once, by start; read by the threads that ask for reads and snapshots. */
    private volatile @Nullable RaftGroup group;

    private @Nullable Leadership leadership;
    /** Term of a leadership that began before start returned. */
    private long earlyTerm;

    private @Nullable RangeException ended;

    /** The apply thread's. */
    private final SnapshotTrigger snapshots;

    /**
     * @param db owned from here on
     * @param faults told, on any thread, once, when the range has stopped
     */
    public Range(
            String groupId,
            RangeBounds bounds,
            RangeDb db,
            RangeCoprocessor coprocessor,
            RangeEnvironment environment,
            FaultHandler faults) {
        this.groupId = groupId;
        this.bounds = bounds;
        this.db = db;
        this.coprocessor = coprocessor;
        this.environment = environment;
        this.faults = faults;
        this.executor = new RangeExecutor(environment.pool(), thrown -> fault("task of the range", thrown));
        this.reads = new ReadGate(this, db, coprocessor, executor, environment.io(), this::fault);
        this.sweep = new DeadlineSweep(this::later);
        this.snapshots = new SnapshotTrigger(groupId, environment.settings().snapshotLogBytes(), environment.io());
        executor.afterBatch(this::flush);
    }

    /**
     * Opens the coprocessor and starts the group. Call once.
     *
     * @throws DamagedDataException if the snapshot is damaged, or log and snapshot do not fit together
     */
    public void start(Path snapshotDirectory) throws IOException {
        coprocessor.open(bounds, db.latest());
        RangeStateMachine stateMachine =
                new RangeStateMachine(groupId, bounds, db, coprocessor, this, this::fault, environment.io());
        RaftGroup started = startGroup(snapshotDirectory, stateMachine);
        group = started;
        executor.execute(() -> {
            if (earlyTerm != 0) {
                lead(earlyTerm, started);
            }
        });
    }

    private RaftGroup startGroup(Path snapshotDirectory, RangeStateMachine stateMachine) throws IOException {
        try {
            return environment.raft().start(groupId, snapshotDirectory, stateMachine);
        } catch (DamagedDataException e) {
            IOException cause = stateMachine.loadFailure();
            throw cause != null ? cause : e;
        }
    }

    public String groupId() {
        return groupId;
    }

    public RangeBounds bounds() {
        return bounds;
    }

    /** Completes when this replica leads and serves; fails with {@link RangeException} when it stops before. */
    public CompletableFuture<Void> ready() {
        return ready;
    }

    // --- requests

    CompletableFuture<byte[]> mutate(ClientMutation request) {
        executor.execute(() -> {
            Leadership current = leadership;
            if (ended != null) {
                request.refuse(ended);
            } else if (current != null) {
                sweep.add(request);
                current.propose(request);
            } else {
                await(request);
            }
        });
        return request.answer();
    }

    CompletableFuture<byte[]> query(byte[] query, Deadline deadline) {
        ReadGate.Query request = new ReadGate.Query(query, deadline);
        executor.execute(() -> {
            sweep.add(request);
            reads.add(request);
        });
        return request.answer();
    }

    void submit(LeaderRequest request) {
        executor.execute(() -> {
            Leadership current = leadership;
            if (ended != null) {
                request.fail(ended);
            } else if (current != null) {
                current.handle(request);
            } else {
                long wait = TimeUnit.MILLISECONDS.toNanos(environment.settings().leaderWaitMillis());
                await(new WaitingSubmission(request, System.nanoTime() + wait));
            }
        });
    }

    private void await(Waiting request) {
        waiting.add(request);
        sweep.add(request);
    }

    private void flush() {
        Leadership current = leadership;
        if (current != null) {
            current.flush();
        }
        reads.flush();
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
    public void leads(long term) {
        executor.execute(() -> {
            RaftGroup started = group;
            if (started == null) {
                earlyTerm = term;
            } else {
                lead(term, started);
            }
        });
    }

    @Override
    public void leadsNoMore() {
        executor.execute(() -> {
            earlyTerm = 0;
            endLeadership(
                    new RangeException(Cause.TIMEOUT, "leadership ended"),
                    new RangeException(Cause.CLOSED, "leadership ended"));
        });
    }

    @Override
    public void logGrew(long bytes) {
        RaftGroup started = group;
        snapshots.logGrew(bytes, started == null ? null : started::snapshot);
    }

    // --- roles

    private void lead(long term, RaftGroup started) {
        earlyTerm = 0;
        if (ended != null) {
            return;
        }
        Leadership next = new Leadership(term, bounds, db, started, executor, environment, this::fault);
        leadership = next;
        next.start(coprocessor);
        LOG.info("range leads range={} term={} appliedIndex={}", groupId, term, db.appliedIndex());
        List<Waiting> requests = new ArrayList<>(waiting);
        waiting.clear();
        requests.forEach(request -> request.deliver(next));
        ready.complete(null);
    }

    private void endLeadership(RangeException sealedCause, RangeException cause) {
        Leadership current = leadership;
        if (current != null) {
            leadership = null;
            current.end(sealedCause, cause, this::unsealed);
        }
    }

    private void unsealed(Proposal proposal, RangeException cause) {
        if (ended == null && proposal instanceof ClientMutation mutation) {
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
        boolean failed = cause.reason() == Cause.STORE_FAILED;
        // what was sealed may be applied yet: CLOSED would deny that
        endLeadership(failed ? cause : new RangeException(Cause.TIMEOUT, "closed before the entry was applied"), cause);
        List<Waiting> requests = new ArrayList<>(waiting);
        waiting.clear();
        requests.forEach(request -> request.refuse(cause));
        reads.close(cause);
        ready.completeExceptionally(cause);
    }

    /** Stops the range after a fault of its own and keeps its files. */
    private void fault(String what, Throwable cause) {
        executor.execute(() -> {
            if (ended == null) {
                LOG.error("range stopped range={} fault={}", groupId, what, cause);
                end(new RangeException(Cause.STORE_FAILED, what + ": " + cause.getMessage()));
                faults.onFault("range " + groupId + ": " + what, cause);
            }
        });
    }

    /** Stops the range because what it stands on has failed; whoever knows of that has logged it. Any thread. */
    public void fail(String why) {
        executor.execute(() -> end(new RangeException(Cause.STORE_FAILED, why)));
    }

    /** Refuses what waits and what comes, with {@code CLOSED}. Completes on the range executor when the leader has been stopped. */
    public CompletableFuture<Void> stop() {
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        executor.execute(() -> {
            try {
                end(new RangeException(Cause.CLOSED, "store is closing"));
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
