package io.godwit.mqtt.top;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The most frequent of many keys, in bounded memory: the Space-Saving sketch of Metwally, Agrawal and El Abbadi. It
 * counts {@code size} keys; a new key replaces the key with the least count and inherits that count. With a total
 * weight of N, a count is too high by at most N / size and never too low, and every key whose true count exceeds that
 * is present. {@link Counter#error} bounds the excess of a count. Confined to one thread.
 *
 * @param <K> ordered, so that colliding keys chosen by clients cost no more than a tree
 */
final class SpaceSaving<K extends Comparable<K>> {
    /** The counter of one key, with sums since it was added. */
    static final class Counter<K> {
        private final K key;
        private final long error;
        private final long[] sums;
        private long count;
        private int place;

        private Counter(K key, long error, int sums) {
            this.key = key;
            this.error = error;
            this.count = error;
            this.sums = new long[sums];
        }

        K key() {
            return key;
        }

        long count() {
            return count;
        }

        /** By how much the count may be too high. */
        long error() {
            return error;
        }

        /** The sum since the key was added: at most the true total. */
        long sum(int which) {
            return sums[which];
        }

        void add(int which, long value) {
            sums[which] += value;
        }
    }

    private final int size;
    private final int sums;
    private final Map<K, Counter<K>> byKey = new HashMap<>();
    /** A min-heap by count: the least is first, and no counter is less than its parent. */
    private final @Nullable Counter<K>[] heap;

    private int used;

    /** @param sums number of sums that each counter keeps beside its count */
    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
    SpaceSaving(int size, int sums) {
        this.size = size;
        this.sums = sums;
        this.heap = new Counter[size];
    }

    /** Takes logarithmic time in the size. */
    Counter<K> add(K key, long weight) {
        Counter<K> counter = byKey.get(key);
        if (counter == null) {
            counter = used < size ? new Counter<>(key, 0, sums) : inPlaceOf(key);
            if (used < size) {
                counter.place = used++;
                heap[counter.place] = counter;
                rise(counter);
            }
            byKey.put(key, counter);
        }
        counter.count += weight;
        sink(counter);
        return counter;
    }

    private Counter<K> inPlaceOf(K key) {
        Counter<K> least = at(0);
        byKey.remove(least.key);
        Counter<K> next = new Counter<>(key, least.count, sums);
        next.place = 0;
        heap[0] = next;
        return next;
    }

    private Counter<K> at(int place) {
        Counter<K> counter = heap[place];
        if (counter == null) {
            throw new IllegalStateException("no counter at " + place + " of " + used);
        }
        return counter;
    }

    private void rise(Counter<K> counter) {
        while (counter.place > 0 && at((counter.place - 1) / 2).count > counter.count) {
            swap(counter, at((counter.place - 1) / 2));
        }
    }

    private void sink(Counter<K> counter) {
        while (true) {
            int left = 2 * counter.place + 1;
            if (left >= used) {
                return;
            }
            Counter<K> less = at(left);
            if (left + 1 < used && at(left + 1).count < less.count) {
                less = at(left + 1);
            }
            if (less.count >= counter.count) {
                return;
            }
            swap(counter, less);
        }
    }

    private void swap(Counter<K> a, Counter<K> b) {
        int place = a.place;
        a.place = b.place;
        b.place = place;
        heap[a.place] = a;
        heap[b.place] = b;
    }

    /** All counters, in no order. */
    List<Counter<K>> counters() {
        List<Counter<K>> all = new ArrayList<>(used);
        for (int i = 0; i < used; i++) {
            all.add(at(i));
        }
        return all;
    }

    void clear() {
        byKey.clear();
        Arrays.fill(heap, null);
        used = 0;
    }
}
