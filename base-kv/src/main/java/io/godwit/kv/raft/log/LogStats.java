package io.godwit.kv.raft.log;

/**
 * Statistics of the log since it was opened.
 *
 * @param writes batches written
 * @param syncs fsyncs of the write-ahead log; fewer than {@code writes} when groups write at the same time
 * @param bytes bytes written to the write-ahead log
 * @param tableBytes bytes written to table files later on, by flush and merge
 */
public record LogStats(long writes, long syncs, long bytes, long tableBytes) {}
