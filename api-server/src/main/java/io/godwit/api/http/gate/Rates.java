package io.godwit.api.http.gate;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Token buckets by name: each caller gets a number of requests a second, and may save up those of two seconds. Beyond a
 * bound, the caller that has been idle longest is forgotten. Confined to the thread that uses it.
 */
public final class Rates {
    private static final int MAX_CALLERS = 10_000;
    private static final int SAVED_SECONDS = 2;
    private static final double NANOS = 1e9;

    private final double perSecond;
    private final LongSupplier nanoClock;
    private final Map<String, Bucket> buckets = new LinkedHashMap<>(64, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Bucket> eldest) {
            return size() > MAX_CALLERS;
        }
    };

    private static final class Bucket {
        private double left;
        private long filledAt;
    }

    public Rates(int perSecond, LongSupplier nanoClock) {
        this.perSecond = perSecond;
        this.nanoClock = nanoClock;
    }

    /** Whether the caller may make one more request now; if so, charges it. */
    public boolean tryTake(String caller) {
        long now = nanoClock.getAsLong();
        Bucket bucket = buckets.computeIfAbsent(caller, name -> full(now));
        double most = perSecond * SAVED_SECONDS;
        bucket.left = Math.min(most, bucket.left + (now - bucket.filledAt) / NANOS * perSecond);
        bucket.filledAt = now;
        if (bucket.left < 1) {
            return false;
        }
        bucket.left--;
        return true;
    }

    private Bucket full(long now) {
        Bucket bucket = new Bucket();
        bucket.left = perSecond * SAVED_SECONDS;
        bucket.filledAt = now;
        return bucket;
    }

    int callers() {
        return buckets.size();
    }
}
