package io.godwit.kv.client;

import java.util.function.Predicate;

/**
 * A request to the leader of a range, handled by its {@link io.godwit.kv.coprocessor.RangeLeader}. The request itself
 * delivers the answer.
 */
public interface LeaderRequest {
    /**
     * Whether the request has a part for keys of this range, although it was submitted by another key. After a split,
     * this range's leader then does its part and forwards the rest. If the request were forwarded as a whole, it would
     * return behind later ones.
     */
    default boolean concerns(Predicate<byte[]> isOwned) {
        return false;
    }

    /**
     * Whether the request waits, in order, until this node leads the range. Otherwise it fails with {@code MOVED} at
     * once if this node does not lead its range now, or if the range is about to be split or handed over.
     */
    default boolean waitsForLeader() {
        return true;
    }

    /** Called at most once instead of the handling, on any thread, if no leader takes the request. */
    void fail(RangeException cause);
}
