package io.godwit.kv.range.replica;

/**
 * Limits of a range.
 *
 * @param maxPendingBytes mutations waiting or in flight; above this, new ones fail with {@code OVERLOADED}
 * @param maxMutationBytes the largest mutation that the log accepts; a larger one fails with {@code TOO_LARGE}. A
 *     message to a follower may have such a mutation, {@code MutationBatcher.MAX_BYTES} of others and Raft's header, so
 *     this must be {@link #MESSAGE_ROOM_BYTES} below the largest message between nodes
 * @param snapshotLogBytes log bytes after which a snapshot is taken and the log truncated
 * @param leaderWaitMillis how long a leader request waits for a leader
 */
public record RangeSettings(long maxPendingBytes, int maxMutationBytes, long snapshotLogBytes, long leaderWaitMillis) {
    /** The difference required between the largest message between nodes and the largest mutation. */
    public static final int MESSAGE_ROOM_BYTES = 2 << 20;

    /** For messages between nodes of up to 16 MiB. */
    public static final int DEFAULT_MUTATION_BYTES = (16 << 20) - MESSAGE_ROOM_BYTES;

    public static final RangeSettings DEFAULT = new RangeSettings(64L << 20, 64L << 20, 5_000);

    public RangeSettings {
        if (maxPendingBytes <= 0 || maxMutationBytes <= 0 || snapshotLogBytes <= 0 || leaderWaitMillis <= 0) {
            throw new IllegalArgumentException("not positive: " + maxPendingBytes + ", " + maxMutationBytes + ", "
                    + snapshotLogBytes + ", " + leaderWaitMillis);
        }
    }

    /** With the largest mutation for messages between nodes of up to 16 MiB. */
    public RangeSettings(long maxPendingBytes, long snapshotLogBytes, long leaderWaitMillis) {
        this(maxPendingBytes, DEFAULT_MUTATION_BYTES, snapshotLogBytes, leaderWaitMillis);
    }
}
