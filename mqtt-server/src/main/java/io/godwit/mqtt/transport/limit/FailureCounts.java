package io.godwit.mqtt.transport.limit;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Counts failures for each of many keys, and bans keys with too many. Holds at most {@link #MAX_KEYS} keys: beyond
 * that, the least recently used one is forgotten, with its ban.
 *
 * <p>Thread-safe by a lock: every event loop counts and asks, all loops share the keys, and the lock is held only for a
 * lookup in a map, once for a failure or, while any key is banned, for a connection. Lists of bans are read without the
 * lock, however long they are.
 */
final class FailureCounts<K> {
    static final int MAX_KEYS = 65_536;

    /** Volatile: read without the lock. */
    private volatile int limit;

    // guarded by the lock
    private long windowNanos;
    private long banNanos;

    private final Map<K, Failures<K>> entries = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<K, Failures<K>> eldest) {
            boolean isTooMany = size() > MAX_KEYS;
            if (isTooMany) {
                unlist(eldest.getValue());
            }
            return isTooMany;
        }
    };

    private final Function<K, String> idOf;
    /** The bans of the entries, by id. Changed under the lock, read without. */
    private final ConcurrentNavigableMap<String, Ban<K>> bans = new ConcurrentSkipListMap<>();

    /** End of the latest ban. Volatile: read without the lock, so that nobody takes the lock while no key is banned. */
    private volatile long bannedUntilNanos;

    private volatile boolean hasBanned;

    /**
     * @param limit failures allowed in the window; 0 for any number
     * @param idOf a different id for each key; called once for a ban
     */
    FailureCounts(int limit, long windowNanos, long banNanos, Function<K, String> idOf) {
        this.idOf = idOf;
        this.limit = limit;
        this.windowNanos = windowNanos;
        this.banNanos = banNanos;
    }

    /** Sets other limits; existing bans keep their end. */
    synchronized void reconfigure(int newLimit, long newWindowNanos, long newBanNanos) {
        limit = newLimit;
        windowNanos = newWindowNanos;
        banNanos = newBanNanos;
    }

    /** Whether {@link #failed} has an effect. */
    boolean isCounting() {
        return limit > 0;
    }

    /** Counts a failure; returns whether the key is banned for it from now on. */
    boolean failed(K key, long nowNanos) {
        return isCounting() && count(key, nowNanos);
    }

    private synchronized boolean count(K key, long nowNanos) {
        Failures<K> failures = entries.computeIfAbsent(key, absent -> new Failures<>(nowNanos));
        if (failures.ban != null) {
            if (!failures.ban.isOver(nowNanos)) {
                return false;
            }
            unlist(failures); // its end went unnoticed until now
            failures.sinceNanos = nowNanos;
            failures.count = 0;
        }
        if (nowNanos - failures.sinceNanos >= windowNanos) {
            failures.sinceNanos = nowNanos;
            failures.count = 0;
        }
        if (++failures.count <= limit) {
            return false;
        }
        Ban<K> ban = new Ban<>(idOf.apply(key), key, nowNanos, banNanos);
        failures.ban = ban;
        bans.put(ban.id(), ban);
        long until = nowNanos + banNanos;
        bannedUntilNanos = hasBanned && bannedUntilNanos - until > 0 ? bannedUntilNanos : until;
        hasBanned = true;
        return true;
    }

    boolean isBanned(K key, long nowNanos) {
        return hasBanned && nowNanos - bannedUntilNanos < 0 && look(key, nowNanos);
    }

    private synchronized boolean look(K key, long nowNanos) {
        Failures<K> failures = entries.get(key);
        if (failures == null || failures.ban == null) {
            return false;
        }
        if (failures.ban.isOver(nowNanos)) {
            entries.remove(key);
            unlist(failures);
            return false;
        }
        return true;
    }

    /** Guarded by the lock. */
    private void unlist(Failures<K> failures) {
        Ban<K> ban = failures.ban;
        if (ban != null) {
            bans.remove(ban.id());
            failures.ban = null;
        }
    }

    /**
     * Bans in force, by id.
     *
     * @param from the first id that may match
     * @param limit number of bans at most
     */
    List<Ban<K>> bans(String from, int limit, Predicate<K> isWanted, long nowNanos) {
        return bans.tailMap(from, true).values().stream()
                .filter(ban -> !ban.isOver(nowNanos) && isWanted.test(ban.key()))
                .limit(limit)
                .toList();
    }

    /**
     * Ends the ban with that id, if it is in force and {@code isMeant} accepts its key, and resets the count. Returns
     * whether it did.
     */
    synchronized boolean lift(String id, Predicate<K> isMeant, long nowNanos) {
        Ban<K> ban = bans.get(id);
        if (ban == null || ban.isOver(nowNanos) || !isMeant.test(ban.key())) {
            return false;
        }
        bans.remove(id);
        entries.remove(ban.key());
        return true;
    }

    /** A ban that lasts {@code banNanos} from {@code sinceNanos} on. */
    record Ban<K>(String id, K key, long sinceNanos, long banNanos) {
        boolean isOver(long nowNanos) {
            return nowNanos - sinceNanos >= banNanos;
        }
    }

    /** Guarded by the lock. */
    private static final class Failures<K> {
        /** When the window began. */
        private long sinceNanos;

        private int count;
        /** Null for none; may have ended. */
        private @Nullable Ban<K> ban;

        private Failures(long nowNanos) {
            sinceNanos = nowNanos;
        }
    }
}
