package io.godwit.kv.range.request;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.range.state.RangeState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Which of a store's ranges on this node owns a key. Changed when a range is split, merged, comes or goes.
 *
 * <p>Whoever looks a range up and puts a request into its queue does both under {@link #lock}, so that a change knows:
 * whatever was routed by the table before it is in the queues already. Hence a lock, which threads of all kinds contend
 * for, where an immutable table alone would do for looking up. There are as many locks as would be taken at once; a
 * reader takes one, a change all of them.
 */
final class RangeTable {
    private static final int LOCKS = 16;

    /** Ascending by start; the ranges need not cover the key space. */
    @SuppressWarnings("ArrayRecordComponent") // compared nowhere
    private record Rows(byte[][] starts, RangeBounds[] bounds, RoutedRange[] ranges) {}

    private final Lock[] locks = new Lock[LOCKS];
    private volatile Rows rows = new Rows(new byte[0][], new RangeBounds[0], new RoutedRange[0]);

    RangeTable() {
        Arrays.setAll(locks, i -> new ReentrantLock());
    }

    /** Takes the lock of this thread, which the caller gives back at once. */
    Lock lock() {
        Lock lock = locks[(int) Thread.currentThread().getId() & LOCKS - 1];
        lock.lock();
        return lock;
    }

    /**
     * Has {@code ranges}, by their bounds as they are now, in place of what was there. Returns when nobody routes by
     * the table before any more.
     */
    void replace(Collection<? extends RoutedRange> ranges) {
        Rows next = rowsOf(ranges);
        for (Lock lock : locks) {
            lock.lock();
        }
        rows = next;
        for (Lock lock : locks) {
            lock.unlock();
        }
    }

    /**
     * Where two overlap, the one of the higher epoch has the keys: the other one's database lags behind a split, until
     * the log has been replayed, or has been merged and not yet retired.
     */
    private static Rows rowsOf(Collection<? extends RoutedRange> ranges) {
        Map<RoutedRange, RangeState> states = new LinkedHashMap<>();
        NavigableSet<byte[]> borders = new TreeSet<>(Arrays::compareUnsigned);
        for (RoutedRange range : ranges) {
            RangeState state = range.routed();
            if (!(state.phase() instanceof RangeState.Retired)) {
                states.put(range, state);
                borders.add(state.bounds().start());
                byte[] end = state.bounds().end();
                if (end != null) {
                    borders.add(end);
                }
            }
        }
        List<byte[]> starts = new ArrayList<>();
        List<RangeBounds> bounds = new ArrayList<>();
        List<RoutedRange> owners = new ArrayList<>();
        for (byte[] border : borders) {
            RoutedRange owner = ownerOf(border, states);
            int last = owners.size() - 1;
            byte @Nullable [] end = borders.higher(border);
            if (owner == null) {
                continue;
            }
            if (last >= 0
                    && owners.get(last) == owner
                    && Arrays.equals(bounds.get(last).end(), border)) {
                bounds.set(last, new RangeBounds(starts.get(last), end)); // a border within it is another's
            } else {
                starts.add(border);
                bounds.add(new RangeBounds(border, end));
                owners.add(owner);
            }
        }
        return new Rows(
                starts.toArray(byte[][]::new), bounds.toArray(RangeBounds[]::new), owners.toArray(RoutedRange[]::new));
    }

    private static @Nullable RoutedRange ownerOf(byte[] key, Map<RoutedRange, RangeState> states) {
        RoutedRange owner = null;
        long epoch = -1;
        for (Map.Entry<RoutedRange, RangeState> each : states.entrySet()) {
            if (each.getValue().bounds().contains(key) && each.getValue().epoch() > epoch) {
                owner = each.getKey();
                epoch = each.getValue().epoch();
            }
        }
        return owner;
    }

    /** The range here that owns the key, or did until a moment ago and hands it on; null when none does. */
    @Nullable
    RoutedRange rangeOf(byte[] key) {
        Rows now = rows;
        int at = indexOf(now.starts, key);
        if (at < 0) {
            return null;
        }
        return now.bounds[at].contains(key) ? now.ranges[at] : null;
    }

    /** The starts of the ranges, ascending. */
    byte[][] starts() {
        return rows.starts;
    }

    /** The last start at or below the key; -1 when there is none. */
    static int indexOf(byte[][] starts, byte[] key) {
        int low = -1;
        int high = starts.length - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (Arrays.compareUnsigned(starts[middle], key) <= 0) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }
}
