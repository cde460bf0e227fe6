package io.godwit.kv.coprocessor;

import java.util.List;
import java.util.function.Consumer;

/**
 * The state machine of one range replica, owned by the range. {@link #open} and {@link #apply} run on the apply thread,
 * one at a time; {@link #query} runs on I/O threads, several at once; {@link #lead} runs on the range executor.
 */
public interface RangeCoprocessor {

    /**
     * Called before {@link #open} and {@link #boundsChanged}. If two ranges have owned the same key, the one with the
     * higher epoch has owned it later. This matters on a node that has a replica of both, one of which is behind.
     *
     * @param epoch rises with every split, merge and change of members of the range. A range that was split off begins
     *     above the range that it was split from; a range that takes over another's keys rises above that one
     */
    default void epochIs(long epoch) {}

    /**
     * Rebuilds the state in memory from the stored state. Called at start before the first apply, and again after a
     * snapshot was installed.
     */
    void open(RangeBounds bounds, RangeReader reader);

    /**
     * A split has removed keys at the end, or a merge has added some there. Nothing is applied while this runs, so it
     * should read no more than the added keys.
     *
     * @param before the bounds of the previous call; begins where {@code now} begins
     */
    default void boundsChanged(RangeBounds before, RangeBounds now, RangeReader reader) {
        open(now, reader);
    }

    /**
     * Applies the mutations of one committed log entry, in order. Deterministic: no clock, no I/O, no network, no
     * randomness; the same entry on the same state writes the same bytes. An exception stops the range, so use the
     * reply to refuse a mutation.
     *
     * @param afterCommit takes effects (index updates). Each runs on the apply thread, in order, after the range's
     *     batch is committed and before the replies are released
     * @return a reply per mutation, in order
     */
    List<byte[]> apply(RangeWrites writes, List<byte[]> mutations, Consumer<Runnable> afterCommit);

    /** Answers a read from a consistent snapshot that is at least as new as the ReadIndex. */
    byte[] query(RangeReader snapshot, byte[] query);

    /**
     * Called when this replica has become leader and has applied the first entry of its own term. The returned leader
     * handles requests until its {@link RangeLeader#stop}. The default proposes nothing and refuses every request.
     */
    default RangeLeader lead(LeaderContext context) {
        return RangeLeader.NONE;
    }

    /**
     * The first key of the group of keys that must stay in one range with {@code key}: a split can be made there. Any
     * thread.
     */
    default byte[] splitPoint(byte[] key) {
        return key;
    }

    /** Releases memory. No call follows. */
    default void close() {}
}
