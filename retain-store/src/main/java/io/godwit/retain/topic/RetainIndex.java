package io.godwit.retain.topic;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.plugin.client.TenantId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import org.jspecify.annotations.Nullable;

/**
 * The topics of one range that have a retained message, in key order, and those that expire, in the order of time; no
 * payloads. Beside them the marks of delivery tokens, in the order in which they may be forgotten. Written by the apply
 * thread alone; read by queries and by the leader at the same time, who see each change as a whole.
 */
final class RetainIndex implements TenantHoldings {
    @SuppressWarnings("ArrayRecordComponent") // compared by BY_TIME only
    private record Expiry(long atMillis, byte[] key) {}

    /**
     * Keys that are due fill one mutation of about this size: topics may be long, and a log takes no mutation that is
     * too large.
     */
    static final int MAX_DUE_BYTES = 256 * 1024;

    private static final Comparator<Expiry> BY_TIME =
            Comparator.comparingLong(Expiry::atMillis).thenComparing(Expiry::key, Arrays::compareUnsigned);

    /** What is known of a message. */
    private record Entry(long expiresAtMillis, int payloadBytes) {}

    private final NavigableMap<byte[], Entry> entries;
    private final NavigableSet<Expiry> byTime = new ConcurrentSkipListSet<>(BY_TIME);
    private final NavigableSet<Expiry> marks = new ConcurrentSkipListSet<>(BY_TIME);
    /** Kept because the set would have to walk to count itself. Written by the apply thread alone. */
    private volatile int markCount;
    /** Of all ranges of the store, kept here because the map would have to walk to count itself. */
    private final RetainCounters counters;
    /** Of this index alone. Volatile for {@link #retire}. */
    private volatile long payloadBytes;

    /** By tenant, of those that have any. Written by the apply thread alone, read by all. */
    private final ConcurrentMap<String, Held> ofTenants = new ConcurrentHashMap<>();

    RetainIndex(RetainCounters counters) {
        this(counters, new TreeMap<>(Arrays::compareUnsigned));
    }

    private RetainIndex(RetainCounters counters, NavigableMap<byte[], Entry> first) {
        this.counters = counters;
        this.entries = new ConcurrentSkipListMap<>(first); // sorted already: built in one go
        long bytes = 0;
        for (Map.Entry<byte[], Entry> each : entries.entrySet()) {
            bytes += each.getValue().payloadBytes;
            countOf(each.getKey(), 1, each.getValue().payloadBytes);
        }
        payloadBytes = bytes;
        counters.retained.add(entries.size());
        counters.payloadBytes.add(bytes);
    }

    void put(byte[] key, long expiresAtMillis, int payloadBytes) {
        Entry before = entries.put(key, new Entry(expiresAtMillis, payloadBytes));
        if (before == null) {
            counters.retained.increment();
            count(payloadBytes);
            countOf(key, 1, payloadBytes);
        } else {
            count(payloadBytes - before.payloadBytes);
            countOf(key, 0, payloadBytes - before.payloadBytes);
            forgetTime(before, key);
        }
        if (expiresAtMillis != RetainKeys.NEVER) {
            byTime.add(new Expiry(expiresAtMillis, key));
        }
    }

    void remove(byte[] key) {
        Entry before = entries.remove(key);
        if (before == null) {
            return;
        }
        counters.retained.decrement();
        count(-before.payloadBytes);
        countOf(key, -1, -before.payloadBytes);
        forgetTime(before, key);
    }

    private void forgetTime(Entry before, byte[] key) {
        if (before.expiresAtMillis != RetainKeys.NEVER) {
            byTime.remove(new Expiry(before.expiresAtMillis, key));
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // by the apply thread alone
    private void count(long bytes) {
        payloadBytes += bytes;
        counters.payloadBytes.add(bytes);
    }

    /** By the apply thread alone. */
    private void countOf(byte[] key, int messages, long bytes) {
        ofTenants.compute(RetainKeys.tenantOf(key), (tenant, held) -> {
            Held now = (held == null ? Held.NONE : held).plus(messages, bytes);
            return now.messages() == 0 ? null : now;
        });
    }

    @Override
    public Held held(TenantId tenant) {
        return ofTenants.getOrDefault(tenant.value(), Held.NONE);
    }

    @Override
    public long payloadBytes(byte[] key) {
        Entry entry = entries.get(key);
        return entry == null ? -1 : entry.payloadBytes;
    }

    /** What lies within {@code bounds}, which begin where this does, as an index of its own. For the apply thread. */
    RetainIndex part(RangeBounds bounds) {
        byte[] end = bounds.end();
        NavigableMap<byte[], Entry> kept = end == null ? entries : entries.headMap(end, false);
        RetainIndex part = new RetainIndex(counters, kept);
        for (Expiry expiry : byTime) {
            if (bounds.contains(expiry.key)) {
                part.byTime.add(expiry);
            }
        }
        for (Expiry mark : marks) {
            if (bounds.contains(mark.key)) {
                part.putMark(mark.key, mark.atMillis);
            }
        }
        return part;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // by the apply thread alone
    void putMark(byte[] key, long forgetAtMillis) {
        if (marks.add(new Expiry(forgetAtMillis, key))) {
            markCount++;
            counters.marks.increment();
        }
    }

    /** @param forgetAtMillis that it was put with */
    @SuppressWarnings("NonAtomicVolatileUpdate") // by the apply thread alone
    void removeMark(byte[] key, long forgetAtMillis) {
        if (marks.remove(new Expiry(forgetAtMillis, key))) {
            markCount--;
            counters.marks.decrement();
        }
    }

    int markCount() {
        return markCount;
    }

    /**
     * At most {@code max} keys, and as few as {@link #MAX_DUE_BYTES} have room for, whose messages have expired at
     * {@code nowMillis}, the oldest first.
     */
    List<byte[]> expired(long nowMillis, int max) {
        return dueBy(byTime, nowMillis, max);
    }

    /** At most {@code max} marks that may be forgotten at {@code nowMillis}, the oldest first. */
    List<byte[]> oldMarks(long nowMillis, int max) {
        return dueBy(marks, nowMillis, max);
    }

    private static List<byte[]> dueBy(NavigableSet<Expiry> times, long nowMillis, int max) {
        List<byte[]> keys = new ArrayList<>();
        int bytes = 0;
        for (Expiry expiry : times) {
            if (expiry.atMillis > nowMillis || keys.size() == max || bytes >= MAX_DUE_BYTES) {
                break;
            }
            keys.add(expiry.key);
            bytes += expiry.key.length;
        }
        return keys;
    }

    /**
     * A walk over the keys from {@code from} on that match {@code filter} and have not expired at {@code nowMillis}. It
     * looks at no more than {@code maxSteps} keys.
     */
    Walk walk(KeyFilter filter, byte[] from, long nowMillis, int maxSteps) {
        return new Walk(filter, from, nowMillis, maxSteps);
    }

    /** Takes its topics out of the count: another index has replaced it. Walks that have begun go on. */
    void retire() {
        counters.retained.add(-entries.size());
        counters.payloadBytes.add(-payloadBytes);
        counters.marks.add(-markCount);
    }

    /** Confined to one thread. Sees changes made ahead of it. */
    final class Walk {
        private final KeyFilter filter;
        private final long nowMillis;
        private int stepsLeft;
        private byte @Nullable [] position;

        private Walk(KeyFilter filter, byte[] from, long nowMillis, int maxSteps) {
            this.filter = filter;
            this.nowMillis = nowMillis;
            this.stepsLeft = maxSteps;
            this.position = Arrays.compareUnsigned(from, filter.start()) < 0 ? filter.start() : from;
        }

        /** Where it goes on: the lowest key not yet looked at. Null once at the end. */
        byte @Nullable [] position() {
            return position;
        }

        /** The next matching key; null at the end, and when no step is left, which {@link #position} tells apart. */
        byte @Nullable [] next() {
            for (; stepsLeft > 0 && position != null; stepsLeft--) {
                Map.Entry<byte[], Entry> entry = entries.ceilingEntry(position);
                if (entry == null || Arrays.compareUnsigned(entry.getKey(), filter.end()) >= 0) {
                    position = null;
                    return null;
                }
                byte[] key = entry.getKey();
                KeyFilter.Verdict verdict = filter.test(key);
                position = verdict.matches() ? RetainKeys.append(key, key.length, (byte) 0) : verdict.next();
                if (verdict.matches() && entry.getValue().expiresAtMillis > nowMillis) {
                    stepsLeft--;
                    return key;
                }
            }
            return null;
        }
    }
}
