package io.godwit.kv.raft.log;

/**
 * What is fsynced before it counts. With any value but {@link #ALL}, a power loss may lose acknowledged data.
 *
 * @param entries log entries
 * @param votes terms and votes
 */
public record LogSync(boolean entries, boolean votes) {
    /** The setting that a broker must use. */
    public static final LogSync ALL = new LogSync(true, true);
}
