package io.godwit.kv.client;

/**
 * Something the leader of a range is asked to do, handled by its {@link io.godwit.kv.coprocessor.RangeLeader}. It carries its own
 * way of answering.
 */
public interface LeaderRequest {
    /** Called instead of being handled, at most once, on any thread: no leader would take it. */
    void fail(RangeException cause);
}
