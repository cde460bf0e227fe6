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
 * Which of a store's ranges on this node owns a key. Changed when a range is split, merged, added or removed.
 *
 * <p>A thread that looks a range up and puts a request into its queue does both under {@link #lock}. So after a change,
 * everything that was routed by the table before is in the queues already. An immutable table alone would not guarantee
 * this; hence a lock, for which threads of all kinds contend. There are several locks so that readers rarely block each
 * other: a reader takes one, a change takes all.
 */
final class RangeTable {
    private static final int LOCKS = 16;

    /** Ascending by start; the ranges need not cover the key space. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Rows(byte[][] starts, RangeBounds[] bounds, RoutedRange[] ranges) {}

    private final Lock[] locks = new Lock[LOCKS];
    private volatile Rows rows = new Rows(new byte[0][], new RangeBounds[0], new RoutedRange[0]);

    RangeTable() {
        Arrays.setAll(locks, i -> new ReentrantLock());
    }

    /** Takes the lock of this thread, which the caller must release soon. */
    Lock lock() {
        Lock lock = locks[(int) Thread.currentThread().getId() & LOCKS - 1];
        lock.lock();
        return lock;
    }

    /**
     * Replaces the content by {@code ranges} with their present bounds. Returns when no thread routes by the former
     * table.
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
     * If two ranges overlap, the one with the higher epoch owns the keys: the other one's database is behind a split
     * until the log has been replayed, or it was merged and has not retired yet.
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
                bounds.set(last, new RangeBounds(starts.get(last), end)); // this border belongs to another range
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

    /** The range here that owns the key, or owned it a moment ago and forwards; null if there is none. */
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

    /** Index of the last start at or below the key; -1 if there is none. */
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
