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
import io.godwit.kv.disk.FaultHandler;
import io.godwit.kv.raft.RaftGroup;
import io.godwit.kv.range.apply.RangeStateMachine;
import io.godwit.kv.range.apply.SealedEntry;
import io.godwit.kv.range.data.RangeDb;
import io.godwit.kv.range.data.RangeDbException;
import io.godwit.kv.range.replica.RangeEnvironment;
import io.godwit.kv.range.state.RangeEntry;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One term of this replica as leader: the coprocessor's leader and the batcher it proposes through. Nothing it was
 * asked to do later happens once it has ended. Confined to the range executor, but for {@link #execute}.
 */
public final class Leadership implements LeaderContext, MutationBatcher.EntryLog {
    /** Makes one for a term; it is started next. */
    @FunctionalInterface
    public interface Maker {
        Leadership make(long term, RangeBounds bounds, RaftGroup group);
    }

    private final String store;
    private final long term;
    private final RangeBounds bounds;
    private final BiConsumer<byte[], LeaderRequest> forwarding;
    private final RangeDb db;
    private final RaftGroup group;
    private final Executor executor;
    private final RangeEnvironment environment;
    private final FaultHandler faults;
    private final MutationBatcher batcher;
    private final Confirmations confirmations;
    private RangeLeader leader = RangeLeader.NONE;
    /** Nothing of the leader's own runs any more but what it is told of its proposals and reads. */
    private boolean frozen;

    private int readsUnderWay;
    /** Proposals that are refused and have not been told. */
    private int refusalsUnderWay;

    private boolean ended;

    /**
     * @param store name of the store
     * @param forwarding takes a request to whoever has its key now
     */
    public Leadership(
            String store,
            long term,
            RangeBounds bounds,
            BiConsumer<byte[], LeaderRequest> forwarding,
            RangeDb db,
            RaftGroup group,
            Executor executor,
            RangeEnvironment environment,
            FaultHandler faults) {
        this.store = store;
        this.term = term;
        this.bounds = bounds;
        this.forwarding = forwarding;
        this.db = db;
        this.group = group;
        this.executor = executor;
        this.environment = environment;
        this.faults = faults;
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

    /** Raft has taken it away; it is to be ended next. */
    public void deposed() {
        leader.deposed();
    }

    /** Nothing new is begun from here on: the leadership is going to be ended in good order. */
    public void freeze() {
        frozen = true;
    }

    /** Frozen: has everything proposed that was decided. Returns whether all of it is applied, and told. */
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
     * Fails what was sealed with {@code sealedCause}, hands the rest to {@code unsealed}, and stops the leader with
     * {@code cause}.
     */
    public void end(RangeException sealedCause, RangeException cause, BiConsumer<Proposal, RangeException> unsealed) {
        ended = true;
        try {
            batcher.close(sealedCause).forEach(proposal -> unsealed.accept(proposal, cause));
        } finally { // whatever a callback throws: the leader must not go on answering
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
        forwarding.accept(key, request);
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

    /** Not from inside the call: the caller may be halfway through changing its own state. */
    private void refuse(Proposal proposal, RangeException cause) {
        proposal.markWaiting();
        refusalsUnderWay++;
        executor.execute(() -> {
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
                faults.onFault("read of the leader", e);
            } catch (RuntimeException e) { // the store's code, at the outermost frame of a read
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
        executor.execute(() -> {
            if (!ended && !frozen) {
                task.run();
            }
        });
    }

    /** What becomes of proposals, reads and confirmations is told to the end. */
    private void internal(Runnable task) {
        executor.execute(() -> {
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
                // success is told by the state machine, with the replies
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
