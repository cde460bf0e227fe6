package io.godwit.dist.peer.filter;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The filters with live subscribers on this node. Each change has a position, which rises by one. Guarded by the lock
 * of {@link LiveFilters}.
 */
final class LocalFilters {
    /** One filter; guarded by the same lock. */
    static final class Entry {
        /** Live subscriptions on this node; 0 until peers are told that the last is gone. */
        int members;
        /** Position of the change that added it. */
        final long position;

        private Entry(long position) {
            this.position = position;
        }
    }

    /** Sorted, so that a peer can be sent all of it page by page while it changes. */
    private final NavigableMap<FilterKey, Entry> entries = new TreeMap<>();
    /** Size of the keys of {@link #entries}, as {@link FilterKey#heapBytes} counts it. */
    private long bytes;

    private long position;

    @Nullable
    Entry get(FilterKey key) {
        return entries.get(key);
    }

    /** Adds an entry without members, instead of an earlier one of the same filter. */
    Entry add(FilterKey key) {
        Entry made = new Entry(changed());
        if (entries.put(key, made) == null) {
            bytes += key.heapBytes();
        }
        return made;
    }

    /** Removes the entry of {@code key}, which must be there. */
    void remove(FilterKey key) {
        entries.remove(key);
        bytes -= key.heapBytes();
        changed();
    }

    /** A new position, for a change of an entry. */
    long changed() {
        return ++position;
    }

    /** Position of the last change. */
    long position() {
        return position;
    }

    /** A view of the entries behind {@code key}; of all for null. */
    Map<FilterKey, Entry> after(@Nullable FilterKey key) {
        return key == null ? entries : entries.tailMap(key, false);
    }

    /** Approximate heap that the filters take on each peer. */
    long bytes() {
        return bytes;
    }

    int size() {
        return entries.size();
    }
}
