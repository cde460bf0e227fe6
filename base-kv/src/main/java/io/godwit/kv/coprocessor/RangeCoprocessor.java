package io.godwit.kv.coprocessor;

import java.util.List;
import java.util.function.Consumer;

/**
 * The state machine of one range replica. Owned by the range; {@link #open} and {@link #apply} run on the apply thread,
 * one at a time; {@link #query} runs on I/O threads, several at once; {@link #lead} on the range executor.
 */
public interface RangeCoprocessor {

    /**
     * Told before {@link #open} and {@link #boundsChanged}. Of two ranges that have had a key, the one with the higher
     * epoch has had it later: that matters where a node has a replica of both, and one of them is behind.
     *
     * @param epoch rises with every split, merge and change of members of the range; a range that was cut off begins
     *     above the one that it was cut off from, and one that takes another's keys rises above it
     */
    default void epochIs(long epoch) {}

    /**
     * Rebuilds what is held in memory from the stored state. Called at start before the first apply, and again after a
     * snapshot was installed.
     */
    void open(RangeBounds bounds, RangeReader reader);

    /**
     * A split has taken keys away at the end, or a merge has added some there. While this runs, nothing is applied: it
     * should read no more than what was added.
     *
     * @param before as told last; begins where {@code now} begins
     */
    default void boundsChanged(RangeBounds before, RangeBounds now, RangeReader reader) {
        open(now, reader);
    }

    /**
     * Applies the mutations of one committed log entry, in order. Deterministic: no clock, no I/O, no network, no
     * randomness; the same entry on the same state writes the same bytes. What it throws stops the range, so refuse by
     * a reply.
     *
     * @param afterCommit takes effects (index updates); each runs on the apply thread once the batch is durable in the
     *     range, in order, before the replies are released
     * @return a reply per mutation, in order
     */
    List<byte[]> apply(RangeWrites writes, List<byte[]> mutations, Consumer<Runnable> afterCommit);

    /** Answers a read on a consistent snapshot at least as new as the ReadIndex. */
    byte[] query(RangeReader snapshot, byte[] query);

    /**
     * Called when this replica has become leader and has applied its own term's first entry. The leader returned
     * handles requests until its {@link RangeLeader#stop}. The default proposes nothing and refuses every request.
     */
    default RangeLeader lead(LeaderContext context) {
        return RangeLeader.NONE;
    }

    /** The first key of what has to stay in one range with {@code key}: where the key space may be cut. Any thread. */
    default byte[] splitPoint(byte[] key) {
        return key;
    }

    /** Releases memory. No call follows. */
    default void close() {}
}
