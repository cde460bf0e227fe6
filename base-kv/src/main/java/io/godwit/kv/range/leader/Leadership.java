package io.godwit.kv.range.leader;

import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.error.RaftError;
import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.coprocessor.LeaderContext;
import io.godwit.kv.coprocessor.Proposal;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.coprocessor.RangeLeader;
import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.kv.coprocessor.SteadyClock;
import io.godwit.kv.raft.RaftGroup;
import io.godwit.kv.range.apply.RangeStateMachine;
import io.godwit.kv.range.apply.SealedEntry;
import io.godwit.kv.range.data.RangeDb;
import io.godwit.kv.range.data.RangeDbException;
import io.godwit.kv.range.replica.RangeEnvironment;
import io.godwit.kv.range.replica.Replica;
import io.godwit.kv.range.state.RangeEntry;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One leadership of this replica: the coprocessor's leader and the batcher that it proposes through. After its end none
 * of its tasks and callbacks runs. Confined to the range executor, except {@link #execute}.
 */
public final class Leadership implements LeaderContext, MutationBatcher.EntryLog {
    /** Makes a leadership for a term; the caller then starts it. */
    @FunctionalInterface
    public interface Maker {
        Leadership make(long term, RangeBounds bounds, RaftGroup group);
    }

    /** Passes a request to the range that owns its key now. */
    @FunctionalInterface
    public interface Forwarder {
        void forward(byte[] key, LeaderRequest request);
    }

    private final String store;
    private final long term;
    private final RangeBounds bounds;
    private final Forwarder forwarder;
    private final RangeDb db;
    private final RaftGroup group;
    private final Replica replica;
    private final RangeEnvironment environment;
    private final MutationBatcher batcher;
    private final Confirmations confirmations;
    private RangeLeader leader = RangeLeader.NONE;
    /** Whether the leader is frozen: then only results of its proposals and reads are passed to it. */
    private boolean frozen;

    private int readsUnderWay;
    /** Number of refused proposals that have not been told. */
    private int refusalsUnderWay;

    private boolean ended;

    /**
     * Makes a leadership; {@link #start} begins it.
     *
     * @param store name of the store
     * @param replica the one that leads
     */
    public Leadership(
            String store,
            long term,
            RangeBounds bounds,
            Forwarder forwarder,
            RangeDb db,
            RaftGroup group,
            Replica replica,
            RangeEnvironment environment) {
        this.store = store;
        this.term = term;
        this.bounds = bounds;
        this.forwarder = forwarder;
        this.db = db;
        this.group = group;
        this.replica = replica;
        this.environment = environment;
        this.batcher = new MutationBatcher(this, environment.settings(), environment.tooLarge());
        this.confirmations = new Confirmations(readIndex(), this::internal);
    }

    public void start(RangeCoprocessor coprocessor) {
        leader = coprocessor.lead(this);
    }

    public void handle(LeaderRequest request) {
        leader.handle(request);
    }

    public void flush() {
        batcher.flush();
    }

    /** Raft has ended this leadership; {@link #end} follows. */
    public void deposed() {
        leader.deposed();
    }

    /** Begins nothing new from now on, because the leadership will be ended in an orderly way. */
    public void freeze() {
        frozen = true;
    }

    /**
     * When frozen: proposes everything that was decided.
     *
     * @return whether all of it is applied and answered
     */
    public boolean settle() {
        leader.settle();
        batcher.flush();
        return batcher.isIdle() && readsUnderWay == 0 && refusalsUnderWay == 0;
    }

    public void applied(SealedEntry entry, List<byte[]> replies) {
        environment.measures().committed(store, environment.nanoTime() - entry.appendedNanos());
        batcher.applied(entry, replies);
    }

    /**
     * Fails sealed proposals with {@code sealedCause}, passes the others to {@code unsealed}, and stops the leader with
     * {@code cause}.
     */
    public void end(RangeException sealedCause, RangeException cause, BiConsumer<Proposal, RangeException> unsealed) {
        ended = true;
        try {
            batcher.close(sealedCause).forEach(proposal -> unsealed.accept(proposal, cause));
        } finally { // even if a callback throws, the leader must be stopped
            leader.stop(cause);
        }
    }

    public RaftGroup group() {
        return group;
    }

    @Override
    public long term() {
        return term;
    }

    @Override
    public RangeBounds bounds() {
        return bounds;
    }

    @Override
    public void forward(byte[] key, LeaderRequest request) {
        forwarder.forward(key, request);
    }

    @Override
    public void propose(Proposal proposal) {
        if (ended) {
            refuse(proposal, new RangeException(Cause.CLOSED, "leadership ended"));
        } else if (!environment.disk().get().takes(proposal.isRelieving())) {
            refuse(proposal, new RangeException(Cause.DISK_FULL, "free disk is below the low-water mark"));
        } else {
            batcher.add(proposal);
        }
    }

    @Override
    public boolean mayAdd() {
        return environment.disk().get().takes(false);
    }

    /** Refuses later, not within the call, because the caller may be changing its own state. */
    private void refuse(Proposal proposal, RangeException cause) {
        proposal.markWaiting();
        refusalsUnderWay++;
        replica.execute(() -> {
            refusalsUnderWay--;
            if (!proposal.isCancelled()) {
                proposal.failed(cause);
            }
        });
    }

    @Override
    public <T> void read(Function<RangeReader, T> work, BiConsumer<@Nullable T, @Nullable Throwable> then) {
        readsUnderWay++;
        environment.io().execute(() -> {
            T result = null;
            Throwable failure = null;
            try {
                result = db.readSnapshot(work);
            } catch (RangeDbException e) {
                failure = e;
                replica.fault("read of the leader", e);
            } catch (RuntimeException e) { // outermost frame of a read: errors of the store's code
                failure = e;
            }
            T answer = result;
            Throwable thrown = failure;
            internal(() -> {
                readsUnderWay--;
                then.accept(answer, thrown);
            });
        });
    }

    @Override
    public void confirm(Runnable then) {
        confirmations.add(then);
    }

    private ReadIndex readIndex() {
        return new ReadIndex() {
            @Override
            public void request(ReadIndex.Done then) {
                group.readIndex(status -> then.done(status.isOk()));
            }

            @Override
            public void later(long delayMillis, Runnable task) {
                Leadership.this.later(delayMillis, task);
            }
        };
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // a task of an ended leadership does nothing
    public void schedule(long delayMillis, Runnable task) {
        environment.timers().schedule(() -> execute(task), Math.max(0, delayMillis), TimeUnit.MILLISECONDS);
    }

    @Override
    public void execute(Runnable task) {
        replica.execute(() -> {
            if (!ended && !frozen) {
                task.run();
            }
        });
    }

    /** Runs results of proposals, reads and confirmations, also when frozen. */
    private void internal(Runnable task) {
        replica.execute(() -> {
            if (!ended) {
                task.run();
            }
        });
    }

    @Override
    public long nowMillis() {
        return SteadyClock.system().millis();
    }

    @Override
    public void append(SealedEntry entry) {
        entry.appended(environment.nanoTime());
        group.append(RangeEntry.encode(entry.mutations()), term, new RangeStateMachine.EntryClosure() {
            @Override
            public SealedEntry entry() {
                return entry;
            }

            @Override
            public void run(Status status) {
                // the state machine reports success, with the replies
                boolean rejected = status.getCode() == RaftError.EBUSY.getNumber();
                internal(() -> {
                    if (rejected) {
                        batcher.rejected(entry);
                    } else {
                        batcher.unknown(entry);
                    }
                });
            }
        });
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // a task of an ended leadership does nothing
    public void later(long delayMillis, Runnable task) {
        environment.timers().schedule(() -> internal(task), Math.max(0, delayMillis), TimeUnit.MILLISECONDS);
    }
}
