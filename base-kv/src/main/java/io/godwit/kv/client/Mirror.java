package io.godwit.kv.client;

import java.util.concurrent.CompletableFuture;

/** This node's own replicas, voters or learners, of all ranges of a store. Thread-safe. */
public interface Mirror {
    /**
     * Completes when replicas of this node that tile the whole key space have applied everything that was committed
     * before the call, by a ReadIndex of each range (Raft dissertation, 6.4), and the coprocessors were told
     * ({@code afterCommit}). Calls that come while one is under way share the next one. Fails with
     * {@link RangeException} when a range is not here, has no leader, or does not answer by the deadline. Completes on
     * any thread.
     */
    CompletableFuture<Void> catchUp(Deadline deadline);
}
