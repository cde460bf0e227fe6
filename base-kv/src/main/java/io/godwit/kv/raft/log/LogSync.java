package io.godwit.kv.raft.log;

/**
 * What is fsynced before it counts. Anything but {@link #ALL} gives up what was acknowledged when power fails.
 *
 * @param entries log entries
 * @param votes terms and votes
 */
public record LogSync(boolean entries, boolean votes) {
    /** As a broker must run. */
    public static final LogSync ALL = new LogSync(true, true);
}
