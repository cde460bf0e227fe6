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
 * The topics of one range that have a retained message, in key order, and those with an expiry, in the order of time;
 * no payloads. Also the marks of delivery tokens, in the order in which they may be removed. Written by the apply
 * thread alone. Queries and the leader read it at the same time; they see each change as a whole.
 */
final class RetainIndex implements TenantHoldings {
    @SuppressWarnings("ArrayRecordComponent") // compared by BY_TIME only
    private record Expiry(long atMillis, byte[] key) {}

    /**
     * Limits the size of one mutation that removes due keys: topics may be long, and the log refuses a mutation that is
     * too large.
     */
    static final int MAX_DUE_BYTES = 256 * 1024;

    private static final Comparator<Expiry> BY_TIME =
            Comparator.comparingLong(Expiry::atMillis).thenComparing(Expiry::key, Arrays::compareUnsigned);

    /** What the index keeps per message. */
    private record Entry(long expiresAtMillis, int payloadBytes) {}

    private final NavigableMap<byte[], Entry> entries;
    private final NavigableSet<Expiry> byTime = new ConcurrentSkipListSet<>(BY_TIME);
    private final NavigableSet<Expiry> marks = new ConcurrentSkipListSet<>(BY_TIME);
    /** Number of {@link #marks}. Written by the apply thread alone. */
    private volatile int markCount;
    /** Shared by all ranges of the store. */
    private final RetainCounters counters;
    /** Payload bytes of this index alone. Volatile for {@link #retire}. */
    private volatile long payloadBytes;

    /** Totals per tenant with at least one message. Written by the apply thread alone, read by any thread. */
    private final ConcurrentMap<String, Held> ofTenants = new ConcurrentHashMap<>();

    RetainIndex(RetainCounters counters) {
        this(counters, new TreeMap<>(Arrays::compareUnsigned));
    }

    private RetainIndex(RetainCounters counters, NavigableMap<byte[], Entry> first) {
        this.counters = counters;
        this.entries = new ConcurrentSkipListMap<>(first); // sorted input, so the map is built in linear time
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

    @SuppressWarnings("NonAtomicVolatileUpdate") // written by the apply thread alone
    private void count(long bytes) {
        payloadBytes += bytes;
        counters.payloadBytes.add(bytes);
    }

    /** For the apply thread alone. */
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

    /** A new index of the entries within {@code bounds}, which begin where this index begins. For the apply thread. */
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

    @SuppressWarnings("NonAtomicVolatileUpdate") // written by the apply thread alone
    void putMark(byte[] key, long forgetAtMillis) {
        if (marks.add(new Expiry(forgetAtMillis, key))) {
            markCount++;
            counters.marks.increment();
        }
    }

    /** @param forgetAtMillis the same value as in {@link #putMark} */
    @SuppressWarnings("NonAtomicVolatileUpdate") // written by the apply thread alone
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
     * Keys of messages that have expired at {@code nowMillis}, the oldest first. At most {@code max}, and no more once
     * they take up {@link #MAX_DUE_BYTES}.
     */
    List<byte[]> expired(long nowMillis, int max) {
        return dueBy(byTime, nowMillis, max);
    }

    /** Marks that may be removed at {@code nowMillis}, the oldest first; at most {@code max}. */
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
     * A walk over the keys that match {@code filter} and have not expired at {@code nowMillis}, starting at
     * {@code from}. It looks at no more than {@code maxSteps} keys.
     */
    Walk walk(KeyFilter filter, byte[] from, long nowMillis, int maxSteps) {
        return new Walk(filter, from, nowMillis, maxSteps);
    }

    /**
     * Subtracts this index from the shared counters, because another index has replaced it. Walks in progress go on.
     */
    void retire() {
        counters.retained.add(-entries.size());
        counters.payloadBytes.add(-payloadBytes);
        counters.marks.add(-markCount);
    }

    /** Confined to one thread. Sees changes to keys that it has not reached yet. */
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

        /** The lowest key not yet looked at; null at the end. */
        byte @Nullable [] position() {
            return position;
        }

        /** The next matching key; null at the end or when no step is left. {@link #position} tells these two apart. */
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
