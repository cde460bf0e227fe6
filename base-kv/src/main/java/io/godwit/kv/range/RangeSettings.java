package io.godwit.kv.range;

/**
 * Bounds of a range.
 *
 * @param maxPendingBytes mutations waiting or in flight; above it new ones fail with {@code OVERLOADED}
 * @param snapshotLogBytes log bytes after which a snapshot is taken and the log cut
 * @param leaderWaitMillis how long a leader request waits for a leader
 */
public record RangeSettings(long maxPendingBytes, long snapshotLogBytes, long leaderWaitMillis) {
    public static final RangeSettings DEFAULT = new RangeSettings(64L << 20, 64L << 20, 5_000);

    public RangeSettings {
        if (maxPendingBytes <= 0 || snapshotLogBytes <= 0 || leaderWaitMillis <= 0) {
            throw new IllegalArgumentException(
                    "not positive: " + maxPendingBytes + ", " + snapshotLogBytes + ", " + leaderWaitMillis);
        }
    }
}
