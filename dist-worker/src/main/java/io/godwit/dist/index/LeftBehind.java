package io.godwit.dist.index;

import io.godwit.kv.coprocessor.RangeBounds;
import java.util.ArrayList;
import java.util.List;

/**
 * Key intervals whose routes are in the index though no range of this node updates them any more: its replica was
 * removed, or is being rebuilt. They are still matched, because a superfluous route is found when it is used, but a
 * missing one loses messages. The next range with the keys removes the routes that have vanished since. Apply threads
 * and threads that close ranges contend for the lock.
 */
public final class LeftBehind {
    /** Beyond it all keys count as left behind: superfluous checks only cost time. */
    private static final int MAX_INTERVALS = 256;

    private static final RangeBounds ALL = new RangeBounds(new byte[0], null);

    private final List<RangeBounds> intervals = new ArrayList<>();

    public synchronized void add(RangeBounds bounds) {
        intervals.removeIf(bounds::covers);
        intervals.add(bounds);
        if (intervals.size() > MAX_INTERVALS) {
            intervals.clear();
            intervals.add(ALL);
        }
    }

    /** Whether some of the keys within {@code bounds} were left behind; they no longer are. */
    public synchronized boolean takeOver(RangeBounds bounds) {
        boolean overlaps = intervals.stream().anyMatch(bounds::overlaps);
        intervals.removeIf(bounds::covers);
        return overlaps;
    }
}
