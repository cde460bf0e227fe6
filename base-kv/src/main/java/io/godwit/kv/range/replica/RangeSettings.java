package io.godwit.kv.range.replica;

/**
 * Bounds of a range.
 *
 * @param maxPendingBytes mutations waiting or in flight; above it new ones fail with {@code OVERLOADED}
 * @param maxMutationBytes the largest mutation that the log takes; a larger one fails with {@code TOO_LARGE}. A message
 *     to a follower has such a mutation, {@code MutationBatcher.MAX_BYTES} and what Raft puts before it, so that this
 *     must stay {@link #MESSAGE_ROOM_BYTES} below what nodes take as one message
 * @param snapshotLogBytes log bytes after which a snapshot is taken and the log cut
 * @param leaderWaitMillis how long a leader request waits for a leader
 */
public record RangeSettings(long maxPendingBytes, int maxMutationBytes, long snapshotLogBytes, long leaderWaitMillis) {
    /** By how much the largest mutation must be smaller than the largest message between nodes. */
    public static final int MESSAGE_ROOM_BYTES = 2 << 20;

    /** For messages of 16 MiB between nodes. */
    public static final int DEFAULT_MUTATION_BYTES = (16 << 20) - MESSAGE_ROOM_BYTES;

    public static final RangeSettings DEFAULT = new RangeSettings(64L << 20, 64L << 20, 5_000);

    public RangeSettings {
        if (maxPendingBytes <= 0 || maxMutationBytes <= 0 || snapshotLogBytes <= 0 || leaderWaitMillis <= 0) {
            throw new IllegalArgumentException("not positive: " + maxPendingBytes + ", " + maxMutationBytes + ", "
                    + snapshotLogBytes + ", " + leaderWaitMillis);
        }
    }

    /** With the largest mutation for messages of 16 MiB between nodes. */
    public RangeSettings(long maxPendingBytes, long snapshotLogBytes, long leaderWaitMillis) {
        this(maxPendingBytes, DEFAULT_MUTATION_BYTES, snapshotLogBytes, leaderWaitMillis);
    }
}
