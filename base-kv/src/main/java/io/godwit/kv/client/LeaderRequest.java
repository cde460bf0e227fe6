package io.godwit.kv.client;

import java.util.function.Predicate;

/**
 * Something the leader of a range is asked to do, handled by its {@link io.godwit.kv.coprocessor.RangeLeader}. It
 * carries its own way of answering.
 */
public interface LeaderRequest {
    /**
     * Whether some of it is for keys of the range that is asked, though it was submitted by another key: after a split
     * the range that it came to then has its leader do its part and hand on the rest. Handed on as a whole it would
     * come back behind what was submitted later.
     */
    default boolean concerns(Predicate<byte[]> isOwned) {
        return false;
    }

    /**
     * Whether it waits, in order, until this node leads the range. Otherwise it fails with {@code MOVED} at once when
     * that does not lead its range here now, or not yet, or is about to be cut or handed over.
     */
    default boolean waitsForLeader() {
        return true;
    }

    /** Called instead of being handled, at most once, on any thread: no leader would take it. */
    void fail(RangeException cause);
}
