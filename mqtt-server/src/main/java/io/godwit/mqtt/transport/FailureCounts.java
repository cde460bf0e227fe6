package io.godwit.mqtt.transport;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How often something went wrong for each of many keys, and which of them are banned for it. At most {@link #MAX_KEYS}
 * keys: beyond, the one that was longest left alone is forgotten, ban included.
 *
 * <p>Thread-safe by a lock: every event loop counts and asks, a key is everybody's, and what is done under the lock is
 * a look into a map, once for a failure or, while anybody is banned, for a connection.
 */
final class FailureCounts<K> {
    static final int MAX_KEYS = 65_536;

    /** Volatile: read without the lock. */
    private volatile int limit;

    // guarded by the lock
    private long windowNanos;
    private long banNanos;

    private final Map<K, Failures> entries = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<K, Failures> eldest) {
            return size() > MAX_KEYS;
        }
    };

    /** When the latest ban ends. Volatile: read without the lock, so that nobody takes it when nobody is banned. */
    private volatile long bannedUntilNanos;

    private volatile boolean hasBanned;

    /** @param limit how often is allowed; 0 for any number */
    FailureCounts(int limit, long windowNanos, long banNanos) {
        this.limit = limit;
        this.windowNanos = windowNanos;
        this.banNanos = banNanos;
    }

    /** Goes on with other numbers; whoever is banned stays so until the time that was told. */
    synchronized void reconfigure(int newLimit, long newWindowNanos, long newBanNanos) {
        limit = newLimit;
        windowNanos = newWindowNanos;
        banNanos = newBanNanos;
    }

    /** Whether {@link #failed} has an effect. */
    boolean isCounting() {
        return limit > 0;
    }

    /** Counts a failure; whether the key is banned for it from now on. */
    boolean failed(K key, long nowNanos) {
        return isCounting() && count(key, nowNanos);
    }

    private synchronized boolean count(K key, long nowNanos) {
        Failures failures = entries.computeIfAbsent(key, absent -> new Failures(nowNanos));
        if (failures.isBanned) {
            return false;
        }
        if (nowNanos - failures.sinceNanos >= windowNanos) {
            failures.sinceNanos = nowNanos;
            failures.count = 0;
        }
        if (++failures.count <= limit) {
            return false;
        }
        failures.isBanned = true;
        failures.sinceNanos = nowNanos;
        failures.banNanos = banNanos;
        long until = nowNanos + banNanos;
        bannedUntilNanos = hasBanned && bannedUntilNanos - until > 0 ? bannedUntilNanos : until;
        hasBanned = true;
        return true;
    }

    boolean isBanned(K key, long nowNanos) {
        return hasBanned && nowNanos - bannedUntilNanos < 0 && look(key, nowNanos);
    }

    private synchronized boolean look(K key, long nowNanos) {
        Failures failures = entries.get(key);
        if (failures == null || !failures.isBanned) {
            return false;
        }
        if (nowNanos - failures.sinceNanos >= failures.banNanos) {
            entries.remove(key);
            return false;
        }
        return true;
    }

    /** Guarded by the lock. */
    private static final class Failures {
        /** When the window, or the ban, began. */
        private long sinceNanos;

        private int count;
        private boolean isBanned;
        private long banNanos;

        private Failures(long nowNanos) {
            sinceNanos = nowNanos;
        }
    }
}
