package io.godwit.dist.peer.filter;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Keys that are due a fixed time after they were first added. Guarded by the lock of {@link LiveFilters}. */
final class LateKeys {
    private final long delayNanos;
    private final Map<FilterKey, Long> due = new LinkedHashMap<>();

    LateKeys(long delayNanos) {
        this.delayNanos = delayNanos;
    }

    void add(FilterKey key, long nowNanos) {
        due.putIfAbsent(key, nowNanos + delayNanos);
    }

    /** Removes and returns the next key that is due; null when there is none. */
    @Nullable
    FilterKey poll(long nowNanos) {
        Iterator<Map.Entry<FilterKey, Long>> oldest = due.entrySet().iterator();
        if (!oldest.hasNext()) {
            return null;
        }
        Map.Entry<FilterKey, Long> first = oldest.next();
        if (first.getValue() - nowNanos > 0) {
            return null;
        }
        oldest.remove();
        return first.getKey();
    }

    boolean isEmpty() {
        return due.isEmpty();
    }
}
