package io.godwit.kv.coprocessor;

import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.RangeException;

/**
 * The leader's half of a coprocessor: turns requests into proposals and effects. Every call runs on the range executor,
 * one at a time; must not block and must not touch a file (see {@link LeaderContext#read}).
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
     * A planned end of this leadership is near: propose all that was decided and not yet proposed. From the first call
     * on no request, task or timer of this leadership is run any more, while it is still told what became of its
     * proposals and reads; so it is called again until nothing is under way, then {@link #stop} with {@code MOVED}.
     */
    default void settle() {}

    /**
     * Raft has taken this leadership away, not in good order: another replica may lead already. Called at most once,
     * before pending proposals fail; {@link #stop} follows in the same task.
     */
    default void deposed() {}

    /**
     * Leadership ended (step-down, fault or close): every pending proposal has failed before this call; fail every
     * request still held with {@code cause}, drop all attachments. No call follows.
     */
    void stop(RangeException cause);
}
