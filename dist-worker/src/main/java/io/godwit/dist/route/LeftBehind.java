package io.godwit.dist.route;

import io.godwit.kv.coprocessor.RangeBounds;
import java.util.ArrayList;
import java.util.List;

/**
 * The keys whose routes stand in the index though no range of this node keeps them up any more: its replica was given
 * up, or is being made anew. They go on being matched, since a route too many is found out when it is used, and one
 * that is missing costs messages. The range that has the keys next removes those that have vanished by then. Apply
 * threads and those that close ranges meet here, hence the lock.
 */
final class LeftBehind {
    /** Beyond it all keys count as left behind: a check too many costs time only. */
    private static final int MAX_INTERVALS = 256;

    private static final RangeBounds ALL = new RangeBounds(new byte[0], null);

    private final List<RangeBounds> intervals = new ArrayList<>();

    synchronized void add(RangeBounds bounds) {
        intervals.removeIf(bounds::covers);
        intervals.add(bounds);
        if (intervals.size() > MAX_INTERVALS) {
            intervals.clear();
            intervals.add(ALL);
        }
    }

    /** Whether some of the keys were left behind; they are no more, as far as {@code bounds} reach. */
    synchronized boolean takeOver(RangeBounds bounds) {
        boolean overlaps = intervals.stream().anyMatch(bounds::overlaps);
        intervals.removeIf(bounds::covers);
        return overlaps;
    }
}
