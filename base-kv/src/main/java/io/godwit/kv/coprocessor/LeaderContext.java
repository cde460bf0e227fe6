package io.godwit.kv.coprocessor;

import io.godwit.kv.client.LeaderRequest;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link RangeLeader} may use. Unless stated otherwise, methods may be called on the range executor only. All
 * callbacks run on it.
 */
public interface LeaderContext {
    /** The Raft term of this leadership. */
    long term();

    RangeBounds bounds();

    /**
     * Forwards a request to the range that owns the key now. It arrives there before requests that were submitted to
     * that range directly and later.
     */
    void forward(byte[] key, LeaderRequest request);

    /** Queues a mutation. Proposals are put into log entries and applied in the order of these calls. */
    void propose(Proposal proposal);

    /**
     * Whether proposals are accepted that are not {@linkplain Proposal#isRelieving relieving}; false while free disk is
     * below the low-water mark. A leader that combines several requests into one proposal uses it to reject those that
     * would be refused alone.
     */
    boolean mayAdd();

    /**
     * Runs {@code work} on an I/O thread, with a snapshot that has at least everything applied before this call. Then
     * runs {@code then} on the range executor with the result or the exception. There is no callback after
     * {@link RangeLeader#stop}.
     */
    <T> void read(Function<RangeReader, T> work, BiConsumer<@Nullable T, @Nullable Throwable> then);

    /**
     * Runs {@code then} on the range executor once it is certain that no other leader had begun at the time of this
     * call. A leader that was replaced may not know it yet; after this callback, its state at the time of the call is
     * known to have been valid. Costs one heartbeat to each voter, shared by all calls in the meantime. There is no
     * callback after {@link RangeLeader#stop}.
     */
    void confirm(Runnable then);

    /** Runs {@code task} on the range executor after {@code delayMillis}, unless the leadership has ended by then. */
    void schedule(long delayMillis, Runnable task);

    /**
     * Runs {@code task} on the range executor after the tasks queued there now, so that work can be batched. Any
     * thread.
     */
    void execute(Runnable task);

    /**
     * Wall time in milliseconds since the epoch. Within a process it neither jumps nor goes back ({@link SteadyClock});
     * after a restart, or on the next leader's node, it may. Leaders may use it; coprocessors may not.
     */
    long nowMillis();
}
