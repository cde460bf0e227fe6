package io.godwit.kv.raft.log;

/**
 * What the log has done, and what it takes.
 *
 * @param bytes in memory and table files
 */
public record LogSizes(LogStats stats, long bytes) {}
