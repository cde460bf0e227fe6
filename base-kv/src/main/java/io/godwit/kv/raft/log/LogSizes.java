package io.godwit.kv.raft.log;

/**
 * Statistics and size of the log.
 *
 * @param bytes size in memory and in table files
 */
public record LogSizes(LogStats stats, long bytes) {}
