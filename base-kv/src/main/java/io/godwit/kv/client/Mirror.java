package io.godwit.kv.client;

import java.util.concurrent.CompletableFuture;

/** This node's own replicas, voters or learners, of all ranges of a store. Thread-safe. */
public interface Mirror {
    /**
     * Completes when this node's replicas, which must cover the whole key space, have applied everything that was
     * committed before the call, and the coprocessors were told ({@code afterCommit}). Uses a ReadIndex of each range
     * (Raft dissertation, 6.4). Calls during a run share the next run. Fails with {@link RangeException} if a range is
     * not here, has no leader, or does not answer by the deadline. Completes on any thread.
     */
    CompletableFuture<Void> catchUp(Deadline deadline);
}
