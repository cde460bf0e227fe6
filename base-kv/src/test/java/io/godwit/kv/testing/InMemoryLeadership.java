package io.godwit.kv.testing;

import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.coprocessor.LeaderContext;
import io.godwit.kv.coprocessor.Proposal;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.coprocessor.RangeLeader;
import io.godwit.kv.coprocessor.RangeReader;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One leadership of an {@link InMemoryRange}: its scheduled tasks are dropped when it ends. On the host's thread. */
final class InMemoryLeadership implements LeaderContext {
    private final InMemoryRangeHost host;
    private final InMemoryRange range;
    private final long ownTerm;
    private RangeLeader leader = RangeLeader.NONE;
    private boolean ended;
    private int readsUnderWay;
    private int failuresUnderWay;

    InMemoryLeadership(InMemoryRangeHost host, InMemoryRange range, long ownTerm) {
        this.host = host;
        this.range = range;
        this.ownTerm = ownTerm;
    }

    /** Makes the leader, which may use this context at once. */
    void lead(RangeCoprocessor coprocessor) {
        leader = coprocessor.lead(this);
    }

    RangeLeader leader() {
        return leader;
    }

    void end() {
        ended = true;
    }

    boolean isEnded() {
        return ended;
    }

    /** Whether no read and no failure of a proposal is on its way to the leader. */
    boolean isIdle() {
        return readsUnderWay == 0 && failuresUnderWay == 0;
    }

    void failureBegins() {
        failuresUnderWay++;
    }

    void failureEnds() {
        failuresUnderWay--;
    }

    @Override
    public long term() {
        return ownTerm;
    }

    @Override
    public RangeBounds bounds() {
        return range.bounds();
    }

    @Override
    public void propose(Proposal proposal) {
        if (ended) {
            proposal.markWaiting();
            host.queue(() -> proposal.failed(new RangeException(Cause.CLOSED, "leadership ended")));
            return;
        }
        range.propose(this, proposal);
    }

    @Override
    public boolean mayAdd() {
        return host.refusalOf(false) == null;
    }

    @Override
    public <T> void read(Function<RangeReader, T> work, BiConsumer<@Nullable T, @Nullable Throwable> then) {
        readsUnderWay++;
        host.queueRead(() -> {
            if (ended) {
                return;
            }
            T result = null;
            Throwable failure = null;
            try {
                result = range.seenBy(this).read(work);
            } catch (RuntimeException e) {
                failure = e;
            }
            T answer = result;
            Throwable thrown = failure;
            host.queue(() -> {
                if (!ended) { // called also while the leadership is being moved
                    readsUnderWay--;
                    then.accept(answer, thrown);
                    range.pumpIfMoving();
                }
            });
        });
    }

    @Override
    public void confirm(Runnable then) {
        if (range.isDeposed(this)) {
            return; // no majority answers
        }
        host.queueConfirmation(() -> {
            if (!ended) { // called also while the leadership is being moved
                then.run();
            }
        });
    }

    @Override
    public void forward(byte[] key, LeaderRequest request) {
        host.submit(key, request);
    }

    @Override
    public void schedule(long delayMillis, Runnable task) {
        host.queueAt(host.monotonicMillis() + Math.max(0, delayMillis), () -> queueUnlessOver(task));
    }

    @Override
    public void execute(Runnable task) {
        queueUnlessOver(task);
    }

    @Override
    public long nowMillis() {
        return host.nowMillis();
    }

    private void queueUnlessOver(Runnable task) {
        host.queue(() -> {
            if (!ended && (!range.isMoving() || range.isDeposed(this))) {
                task.run();
            }
        });
    }
}
