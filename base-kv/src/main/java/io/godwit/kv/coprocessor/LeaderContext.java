package io.godwit.kv.coprocessor;

import io.godwit.kv.client.LeaderRequest;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What a {@link RangeLeader} may use. All methods are for the range executor only, and all callbacks come on it. */
public interface LeaderContext {
    /** The Raft term of this leadership. */
    long term();

    RangeBounds bounds();

    /**
     * Hands on a request that came here though this range does not own the key any more, to the one that does; ahead of
     * those that come to that one by themselves and were submitted later.
     */
    void forward(byte[] key, LeaderRequest request);

    /** Queues a mutation. Proposals are sealed into entries and applied in the order of these calls. */
    void propose(Proposal proposal);

    /**
     * Whether proposals are taken that are not {@linkplain Proposal#isRelieving relieving}; false while free disk is
     * below the low-water mark. For a leader that gathers what many ask for into one proposal: it keeps out what would
     * not be taken alone.
     */
    boolean mayAdd();

    /**
     * Runs {@code work} on an I/O thread on a snapshot that holds at least everything applied before this call, then
     * {@code then} on the range executor with the result or what it threw. Not called back after
     * {@link RangeLeader#stop}.
     */
    <T> void read(Function<RangeReader, T> work, BiConsumer<@Nullable T, @Nullable Throwable> then);

    /**
     * Runs {@code then} on the range executor once it is certain that no other leader had begun when this was called: a
     * leader that was replaced may not know yet. What it says of its state then was true at the time of the call.
     * Costs a heartbeat to each voter, for all that ask meanwhile. Not called back after {@link RangeLeader#stop}.
     */
    void confirm(Runnable then);

    /** Runs {@code task} on the range executor after {@code delayMillis}, unless leadership has ended by then. */
    void schedule(long delayMillis, Runnable task);

    /**
     * Runs {@code task} on the range executor as soon as what is queued there now is done; for work to be batched. May
     * be called on any thread.
     */
    void execute(Runnable task);

    /**
     * Wall time, milliseconds since the epoch. Within a process it neither steps nor goes back ({@link SteadyClock});
     * over a
     * restart, or on the next leader's node, it may. Leaders may look at it; coprocessors may not.
     */
    long nowMillis();
}
