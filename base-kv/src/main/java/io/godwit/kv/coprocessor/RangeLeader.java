package io.godwit.kv.coprocessor;

import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.RangeException;

/**
 * The leader's part of a coprocessor: turns requests into proposals and effects. Every call runs on the range executor,
 * one at a time. It must not block and must not touch a file (see {@link LeaderContext#read}).
 */
public interface RangeLeader {
    /** For stores that need no leader. */
    RangeLeader NONE = new RangeLeader() {
        @Override
        public void handle(LeaderRequest request) {
            request.fail(new RangeException(RangeException.Cause.STORE_FAILED, "this store takes no leader requests"));
        }

        @Override
        public void stop(RangeException cause) {}
    };

    void handle(LeaderRequest request);

    /**
     * A planned end of this leadership is near: propose everything that was decided but not yet proposed. From the
     * first call on, requests, tasks and timers are no longer run; only results of proposals and reads still arrive. So
     * this is called again until nothing is in progress, and then {@link #stop} with {@code MOVED}.
     */
    default void settle() {}

    /**
     * Raft has ended this leadership without a planned hand-over: another replica may lead already. Called at most
     * once, before pending proposals fail; {@link #stop} follows in the same task.
     */
    default void deposed() {}

    /**
     * The leadership has ended (step-down, fault or close). Every pending proposal has failed before this call. The
     * leader must fail every request that it still holds with {@code cause} and drop all attachments. No call follows.
     */
    void stop(RangeException cause);
}
